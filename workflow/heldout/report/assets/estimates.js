// Estimates: all estimators of one learner, and all learners by one estimator.

const estimates = unpack("estimates");

const ESTIMATE_COLUMNS = [
  { title: "Estimator", value: (row) => row.estimator, show: estimatorLink },
  { title: data?.loss.title, number: true, value: (row) => row.score, show: scoreCell },
  { title: "Interval", number: true, value: (row) => row.score_low, show: intervalCell },
  { title: "Method", class: "method", value: (row) => row.interval, show: methodCell },
  { title: "What the interval is for", class: "long", value: (row) => row.interval_target, show: purposeCell },
  { title: "n", number: true, value: (row) => row.n },
  { title: "Fits", number: true, value: fitsOf },
  { title: "θ", value: (row) => row.theta, show: chosenText },
  { title: "What it estimates", class: "long", value: (row) => row.target, show: targetCell },
];

const INTERVAL_COLUMNS = [
  { title: "Estimator", value: (row) => row.estimator, show: estimatorLink },
  { title: "Interval", number: true, value: (row) => row.score_low, show: intervalCell },
  { title: "Level", number: true, value: (row) => row.level, show: (level) => showShare(level, 0) },
  { title: "Method", class: "method", value: (row) => row.interval, show: methodCell },
  { title: "Recommended", value: (row) => row.recommended, show: showTruth },
  { title: "What it is for", class: "long", value: (row) => row.interval_target, show: (text) => inWords(text ?? ABSENT) },
];

// How many fits of the whole grid the estimate looks at.
function fitsOf(row) {
  return data.fits?.[row.learner]?.[row.estimator] ?? null;
}

function estimatorLink(name) {
  return explained("estimator", name, estimatorTitle(name));
}

function targetCell(text) {
  return formula(text ?? ABSENT);
}

function scoreCell(value, row) {
  const error = isNumber(row.se) ? el("small", {}, `s.e. ${showRisk(row.se)}`) : null;
  return el("span", {}, showRisk(value), error);
}

function intervalCell(_, row) {
  return showInterval(row.score_low, row.score_high);
}

function methodCell(name) {
  return name ? explained("interval", name, intervalTitle(name)) : ABSENT;
}

// What the recommended interval is for, or why there is none.
function purposeCell(text, row) {
  return inWords(text ?? row.note ?? ABSENT);
}

function chosenText(theta, row) {
  const shown = showTheta(theta);
  if (row.learner !== "all" || !row.chosen) return shown;
  return shown === ABSENT ? row.chosen : `${row.chosen}, ${shown}`;
}

const NO_INTERVAL = { se: null, score_low: null, score_high: null, interval: null, interval_target: null, level: null };

// Rank 0: an estimate with its recommended interval, or without one. The other intervals follow.
function ranked(rows) {
  const groups = d3.group(rows, (row) => `${row.learner}\u0000${row.estimator}`);
  return [...groups.values()].flatMap((group) => {
    const best = group.find((row) => row.recommended === true);
    const others = group.filter((row) => row !== best && row.interval);
    const head = best ?? { ...group[0], ...NO_INTERVAL };
    return [{ ...head, rank: 0 }, ...others.map((row, i) => ({ ...row, rank: i + 1, note: null }))];
  });
}

function tipText(row) {
  const lines = [`${estimatorTitle(row.estimator)}: ${showRisk(row.score)}`];
  if (isNumber(row.score_low)) {
    lines.push(`${showInterval(row.score_low, row.score_high)} (${intervalTitle(row.interval)})`);
  }
  if (row.interval_target) lines.push(`for ${inWords(row.interval_target)}`);
  if (row.recommended === false && row.interval) lines.push("not recommended: it may not hold");
  if (row.note) lines.push(row.note);
  return lines.join("\n");
}

function intervalMarks(rows, y, colour) {
  const marks = [];
  for (let rank = 0; rank <= Math.max(0, ...rows.map((row) => row.rank)); rank++) {
    const own = rows.filter((row) => row.rank === rank && isNumber(row.score_low));
    marks.push(
      Plot.ruleY(own, {
        x1: "score_low",
        x2: "score_high",
        y,
        stroke: colour,
        strokeWidth: rank === 0 ? 3 : 1.2,
        strokeOpacity: rank === 0 ? 0.55 : 0.6,
        strokeLinecap: "round",
        dy: 5 * rank,
      }),
    );
  }
  return marks;
}

function dotPlot(rows, y, domain, title, colour, width) {
  const points = rows.filter((row) => row.rank === 0);
  const extra = Math.max(0, ...rows.map((row) => row.rank));
  const room = labelRoom(domain.map(title), width);
  return plot({
    width,
    height: 52 + domain.length * (24 + 4 * extra),
    marginLeft: room.marginLeft,
    marginRight: 24,
    marginTop: 4,
    marginBottom: 42,
    x: scoreAxis({ ticks: Math.max(3, width / 100) }),
    y: { domain, label: null, tickFormat: (name) => room.short(title(name)), tickSize: 0 },
    marks: [
      ...intervalMarks(rows, y, colour),
      Plot.dot(points, {
        x: "score",
        y,
        r: 4.5,
        fill: (row) => (data.words.estimators[row.estimator]?.role === "apparent" ? "var(--paper)" : colour(row)),
        stroke: colour,
        strokeWidth: 2,
        symbol: (row) => (row.estimator === "test" ? "diamond" : "circle"),
      }),
      Plot.tip(rows, Plot.pointer({ x: "score", y, title: tipText })),
    ],
    symbol: { range: ["circle", "diamond"], domain: ["circle", "diamond"] },
  });
}

function learnerFigure(learner) {
  const own = estimates.filter((row) => row.learner === learner);
  const rows = ranked(own);
  const names = data.estimators.filter((name) => rows.some((row) => row.estimator === name));
  const drawn = figure({
    name: `estimates-${learner}`,
    title: `Every estimate for ${learnerTitle(learner)}.`,
    note: "The thick line is the recommended interval; thin ones are others, which may not hold. Hollow: seen in training.",
    columns: data.tables.estimates.columns,
    rows: own,
    draw: (width) => dotPlot(rows, "estimator", names, estimatorTitle, (row) => roleColour(row.estimator), width),
  });
  const options = { name: `estimates-${learner}`, csv: { columns: data.tables.estimates.columns, rows: own } };
  const table = buildTable(ESTIMATE_COLUMNS, rows.filter((row) => row.rank === 0), options);
  const intervals = own.filter((row) => row.interval);
  if (intervals.length === 0) return [drawn, table];
  const title = `All ${intervals.length} intervals, and what each is for`;
  return [drawn, table, lazyTable(title, () => buildTable(INTERVAL_COLUMNS, intervals, options))];
}

const SHOWN_LEARNERS = 40;

// What the intervals of a figure are for, if it is the same for all.
function purposeNote(rows) {
  const targets = [...new Set(rows.map((row) => row.interval_target).filter(Boolean))];
  if (targets.length === 0) return "No interval is recommended.";
  return targets.length === 1 ? `With the recommended interval, for ${inWords(targets[0])}.` : "With the recommended interval.";
}

function comparisonFigure(estimator) {
  const own = estimates.filter((row) => row.estimator === estimator);
  const all = ranked(own);
  const order = d3.groupSort(all, (group) => group[0].risk, (row) => row.learner);
  const shown = order.slice(0, SHOWN_LEARNERS);
  const rows = all.filter((row) => row.rank === 0 && shown.includes(row.learner));
  const cut = order.length > shown.length ? ` The best ${shown.length} of ${order.length}.` : "";
  return figure({
    name: `estimates-${estimator}`,
    title: `Every learner by ${estimatorTitle(estimator)}.`,
    note: `${purposeNote(rows)}${cut}`,
    columns: data.tables.estimates.columns,
    rows: own,
    draw: (width) => dotPlot(rows, "learner", shown, learnerTitle, () => roleColour(estimator), width),
  });
}

function startEstimates() {
  const learners = [...new Set(estimates.map((row) => row.learner))];
  const one = el("div");
  const first = learners.includes("all") ? "all" : learners[0];
  const choose = (name) => swap(one, ...learnerFigure(name));
  place("by-learner").append(
    chooser("Learner", learners.map((name) => [name, learnerTitle(name)]), first, choose),
    one,
  );
  choose(first);
  startComparison();
}

function startComparison() {
  const learners = d3.rollup(estimates, (rows) => new Set(rows.map((row) => row.learner)), (row) => row.estimator);
  const names = data.estimators.filter((name) => learners.get(name)?.size > 2);
  if (names.length === 0) return;
  const holder = el("div");
  const pooled = data.loss.pooled ? ["nested_cv_pooled", "kfold_pooled"] : [];
  const first = [...pooled, "nested_cv", data.selection.by, "kfold"].find((name) => names.includes(name)) ?? names[0];
  const choose = (name) => swap(holder, comparisonFigure(name));
  place("by-estimator").append(
    el("h3", {}, "Learners side by side"),
    chooser("Estimator", names.map((name) => [name, estimatorTitle(name)]), first, choose),
    holder,
  );
  choose(first);
}
