// Estimates: all estimators of one learner, and all learners by one estimator.

const estimates = unpack("estimates");

const ESTIMATE_COLUMNS = [
  { title: "Estimator", value: (row) => row.estimator, show: estimatorLink },
  { title: "Risk", number: true, value: (row) => row.risk, show: riskCell },
  { title: "Interval", number: true, value: (row) => row.ci_low, show: intervalCell },
  { title: "Method", class: "method", value: (row) => row.interval, show: methodCell },
  { title: "n", number: true, value: (row) => row.n },
  { title: "Fits", number: true, value: fitsOf },
  { title: "θ", value: (row) => row.theta, show: chosenText },
  { title: "What it estimates", class: "long", value: (row) => row.target, show: targetCell },
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

function riskCell(value, row) {
  const error = isNumber(row.se) ? el("small", {}, `s.e. ${showRisk(row.se)}`) : null;
  return el("span", {}, showRisk(value), error);
}

// The recommended interval, and the others smaller below.
function intervalCell(_, row) {
  const small = (other) => el("span", { class: "others" }, showInterval(other.ci_low, other.ci_high));
  const others = row.others.map(small);
  return el("span", {}, showInterval(row.ci_low, row.ci_high), ...others);
}

function methodCell(name, row) {
  const link = (one) => (one ? explained("interval", one, intervalTitle(one)) : ABSENT);
  const others = row.others.map((other) => el("span", { class: "others" }, link(other.interval)));
  return el("span", {}, link(name), ...others);
}

function chosenText(theta, row) {
  const shown = showTheta(theta);
  if (row.learner !== "all" || !row.chosen) return shown;
  return shown === ABSENT ? row.chosen : `${row.chosen}, ${shown}`;
}

// One row per estimator, its further intervals inside.
function folded(rows) {
  return [...groupBy(rows, "estimator").values()].map(([first, ...others]) => ({ ...first, others }));
}

// The first interval of an estimate is the recommended one; the others are drawn thinner, below.
function ranked(rows) {
  const count = new Map();
  return rows.map((row) => {
    const key = `${row.learner}\u0000${row.estimator}`;
    const rank = count.get(key) ?? 0;
    count.set(key, rank + 1);
    return { ...row, rank };
  });
}

function tipText(row) {
  const lines = [`${estimatorTitle(row.estimator)}: ${showRisk(row.risk)}`];
  if (isNumber(row.ci_low)) {
    lines.push(`${showInterval(row.ci_low, row.ci_high)} (${intervalTitle(row.interval)})`);
  }
  return lines.join("\n");
}

function intervalMarks(rows, y, colour) {
  const marks = [];
  for (let rank = 0; rank <= Math.max(0, ...rows.map((row) => row.rank)); rank++) {
    const own = rows.filter((row) => row.rank === rank && isNumber(row.ci_low));
    marks.push(
      Plot.ruleY(own, {
        x1: "ci_low",
        x2: "ci_high",
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
    height: 34 + domain.length * (24 + 4 * extra),
    marginLeft: room.marginLeft,
    marginRight: 24,
    marginTop: 4,
    x: riskAxis({ ticks: Math.max(3, width / 100) }),
    y: { domain, label: null, tickFormat: (name) => room.short(title(name)), tickSize: 0 },
    marks: [
      ...intervalMarks(rows, y, colour),
      Plot.dot(points, {
        x: "risk",
        y,
        r: 4.5,
        fill: (row) => (data.words.estimators[row.estimator]?.role === "apparent" ? "var(--paper)" : colour(row)),
        stroke: colour,
        strokeWidth: 2,
        symbol: (row) => (row.estimator === "test" ? "diamond" : "circle"),
      }),
      Plot.tip(rows, Plot.pointer({ x: "risk", y, title: tipText })),
    ],
    symbol: { range: ["circle", "diamond"], domain: ["circle", "diamond"] },
  });
}

function learnerFigure(learner) {
  const rows = ranked(estimates.filter((row) => row.learner === learner));
  const names = data.estimators.filter((name) => rows.some((row) => row.estimator === name));
  const drawn = figure({
    name: `estimates-${learner}`,
    title: `Every estimate for ${learnerTitle(learner)}.`,
    note: "The thick line is the recommended interval, thin ones are the others. Hollow: seen in training.",
    columns: data.tables.estimates.columns,
    rows,
    draw: (width) => dotPlot(rows, "estimator", names, estimatorTitle, (row) => roleColour(row.estimator), width),
  });
  const csv = { columns: data.tables.estimates.columns, rows };
  const table = buildTable(ESTIMATE_COLUMNS, folded(rows), { name: `estimates-${learner}`, csv });
  return [drawn, table];
}

const SHOWN_LEARNERS = 40;

function comparisonFigure(estimator) {
  const all = ranked(estimates.filter((row) => row.estimator === estimator));
  const order = d3.groupSort(all, (group) => group[0].risk, (row) => row.learner);
  const shown = order.slice(0, SHOWN_LEARNERS);
  const rows = all.filter((row) => row.rank === 0 && shown.includes(row.learner));
  const cut = order.length > shown.length ? ` The best ${shown.length} of ${order.length}.` : "";
  return figure({
    name: `estimates-${estimator}`,
    title: `Every learner by ${estimatorTitle(estimator)}.`,
    note: `With the recommended interval.${cut}`,
    columns: data.tables.estimates.columns,
    rows: all,
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
  const first = ["nested_cv", data.selection.by, "kfold"].find((name) => names.includes(name)) ?? names[0];
  const choose = (name) => swap(holder, comparisonFigure(name));
  place("by-estimator").append(
    el("h3", {}, "Learners side by side"),
    chooser("Estimator", names.map((name) => [name, estimatorTitle(name)]), first, choose),
    holder,
  );
  choose(first);
}
