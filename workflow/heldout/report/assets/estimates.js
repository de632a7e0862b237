// Estimates: all estimators of one learner, and all learners by one estimator.

const estimates = unpack("estimates");

const ESTIMATE_COLUMNS = [
  { key: "estimator", title: "Estimator", show: (name) => explained("estimator", name, estimatorTitle(name)) },
  { key: "risk", title: "Risk", number: true, show: (value) => showRisk(value) },
  { key: "se", title: "Std. error", number: true, show: (value) => showRisk(value) },
  { key: "ci_low", title: "From", number: true, show: (value) => showRisk(value) },
  { key: "ci_high", title: "To", number: true, show: (value) => showRisk(value) },
  { key: "interval", title: "Interval", show: (name) => (name ? explained("interval", name, intervalTitle(name)) : ABSENT) },
  { key: "n", title: "n", number: true },
  { key: "theta", title: "θ", show: (theta, row) => chosenText(theta, row) },
  { key: "target", title: "What it estimates", show: (text) => text ?? ABSENT },
];

function chosenText(theta, row) {
  const shown = theta ? showTheta(theta) : ABSENT;
  return row.learner === "all" && row.chosen ? `${row.chosen}: ${shown}` : shown;
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
        dy: 6 * rank,
      }),
    );
  }
  return marks;
}

function dotPlot(rows, y, domain, title, colour, width) {
  const points = rows.filter((row) => row.rank === 0);
  const extra = Math.max(0, ...rows.map((row) => row.rank));
  return plot({
    width,
    height: 46 + domain.length * (24 + 6 * extra),
    marginLeft: leftMargin(domain.map(title)),
    marginRight: 24,
    x: riskAxis(),
    y: { domain, label: null, tickFormat: (name) => clip(title(name)), tickSize: 0 },
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
    wide: true,
    columns: data.tables.estimates.columns,
    rows,
    draw: (width) => dotPlot(rows, "estimator", names, estimatorTitle, (row) => roleColour(row.estimator), width),
  });
  const csv = { columns: data.tables.estimates.columns, rows };
  const again = (row) => row.rank > 0;
  const table = buildTable(ESTIMATE_COLUMNS, rows, { name: `estimates-${learner}`, again, csv });
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
    wide: true,
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
  const count = (name) => new Set(estimates.filter((row) => row.estimator === name).map((row) => row.learner)).size;
  const names = data.estimators.filter((name) => count(name) > 2);
  if (names.length === 0) return;
  const holder = el("div");
  const first = ["nested_cv", data.selection.by, "kfold"].find((name) => names.includes(name)) ?? names[0];
  const choose = (name) => swap(holder, comparisonFigure(name));
  place("by-estimator").append(
    chooser("Estimator", names.map((name) => [name, estimatorTitle(name)]), first, choose),
    holder,
  );
  choose(first);
}
