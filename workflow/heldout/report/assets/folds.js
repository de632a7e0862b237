// Outer folds of nested cross-validation: what each chose, and its error.

const FOLD_COLUMNS = [
  { key: "repeat", title: "Repeat", number: true },
  { key: "fold", title: "Fold", number: true },
  { key: "theta", title: "Chosen without it", show: (_, row) => foldChoice(row) },
  { key: "risk", title: "Risk on the fold", number: true, show: (value) => showRisk(value) },
  { key: "n", title: "n", number: true },
];

function foldChoice(row) {
  const theta = showTheta(row.theta);
  if (row.learner !== "all" || !row.chosen) return theta;
  return theta === ABSENT ? row.chosen : `${row.chosen}, ${theta}`;
}

// The choices by how often they were made; those beyond the colours share the last one.
function choiceColours(rows) {
  const order = d3.groupSort(rows, (group) => -group.length, foldChoice);
  return new Map(order.map((choice, i) => [choice, SERIES[i] ?? "var(--grey)"]));
}

function foldRisks(rows, colours, width) {
  const repeats = new Set(rows.map((row) => row.repeat)).size;
  const x = (row) => (repeats > 1 ? `${row.repeat}.${row.fold}` : String(row.fold));
  const domain = rows.map(x);
  const mean = d3.mean(rows, (row) => row.risk);
  const fill = (row) => colours.get(foldChoice(row));
  const title = (row) => `Fold ${x(row)}: ${showRisk(row.risk)} (n = ${row.n})\n${foldChoice(row)}`;
  const crowded = domain.length * 24 > width;
  return plot({
    width,
    height: 230,
    marginLeft: 56,
    marginBottom: 40,
    x: { type: "point", domain, label: "outer fold", labelAnchor: "center", labelArrow: "none", ticks: crowded ? [] : domain },
    y: riskAxis({ ticks: 5, zero: true }),
    marks: [
      Plot.ruleY([mean], { stroke: "currentColor", strokeDasharray: "2 3", strokeOpacity: 0.6 }),
      Plot.ruleX(rows, { x, y1: 0, y2: "risk", stroke: fill, strokeOpacity: 0.35 }),
      Plot.dot(rows, { x, y: "risk", r: 4.5, fill }),
      Plot.tip(rows, Plot.pointer({ x, y: "risk", title })),
    ],
  });
}

function choiceCounts(rows, colours, width) {
  const choices = [...colours.keys()].slice(0, 20);
  const counts = d3.rollup(rows, (group) => group.length, foldChoice);
  const room = labelRoom(choices, width, 0.5);
  return plot({
    width,
    height: 34 + 26 * choices.length,
    marginLeft: room.marginLeft,
    marginTop: 6,
    marginRight: 30,
    x: { label: null, ticks: 4, tickFormat: "d", grid: true, domain: [0, d3.max(counts.values())] },
    y: { domain: choices, label: null, tickFormat: room.short, tickSize: 0 },
    marks: [
      Plot.barX(choices, { x: (c) => counts.get(c), y: (c) => c, fill: (c) => colours.get(c), insetTop: 4, insetBottom: 4 }),
      Plot.text(choices, { x: (c) => counts.get(c), y: (c) => c, text: (c) => String(counts.get(c)), dx: 6, textAnchor: "start" }),
    ],
  });
}

function foldNodes(learner, estimator) {
  const rows = unpack("folds").filter((row) => row.learner === learner && row.estimator === estimator);
  const colours = choiceColours(rows);
  const common = { columns: data.tables.folds.columns, rows, name: `folds-${learner}-${estimator}` };
  const mean = showRisk(d3.mean(rows, (row) => row.risk));
  const errors = figure({
    ...common,
    title: "Error of each outer fold.",
    note: `Dashed: their mean, ${mean}.`,
    draw: (width) => foldRisks(rows, colours, width),
  });
  const choices = figure({
    ...common,
    title: "What was chosen without it.",
    note: colours.size === 1 ? "Every fold chose the same." : `${colours.size} different choices in ${rows.length} folds.`,
    draw: (width) => choiceCounts(rows, colours, width),
  });
  const cards = el("div", { class: "cards" }, el("article", { class: "card" }, errors), el("article", { class: "card" }, choices));
  return [cards, lazyTable("Every fold", () => buildTable(FOLD_COLUMNS, rows, common))];
}

function startFolds() {
  const holder = place("all-folds");
  if (!holder) return;
  const rows = unpack("folds");
  const learners = [...new Set(rows.map((row) => row.learner))];
  const estimators = [...new Set(rows.map((row) => row.estimator))];
  const now = { learner: learners.includes("all") ? "all" : learners[0], estimator: estimators[0] };
  const shown = el("div");
  const choose = (change) => {
    Object.assign(now, change);
    swap(shown, ...foldNodes(now.learner, now.estimator));
  };
  const bar = el("div", { class: "bar" });
  bar.append(chooser("Learner", learners.map((name) => [name, learnerTitle(name)]), now.learner, (learner) => choose({ learner })));
  if (estimators.length > 1) {
    bar.append(chooser("Estimator", estimators.map((name) => [name, estimatorTitle(name)]), now.estimator, (estimator) => choose({ estimator })));
  }
  holder.append(bar, shown);
  choose({});
}
