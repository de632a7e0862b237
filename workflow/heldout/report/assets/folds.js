// Outer folds of nested cross-validation: what each chose, and how well that did on it.

const FOLD_COLUMNS = [
  { key: "repeat", title: "Repeat", number: true },
  { key: "fold", title: "Fold", number: true },
  { key: "theta", title: "Chosen without it", show: (_, row) => foldChoice(row) },
  { key: "score", title: `${data?.loss.title} on the fold`, number: true, show: (value) => showRisk(value) },
  { key: "n", title: "n", number: true },
];

function foldChoice(row) {
  const theta = showTheta(row.theta);
  if (row.learner !== "all" || !row.chosen) return theta;
  return theta === ABSENT ? row.chosen : `${row.chosen}, ${theta}`;
}

// The choices by how often they were made; those beyond the colours are grey.
function choiceColours(rows) {
  const order = d3.groupSort(rows, (group) => -group.length, foldChoice);
  return new Map(order.map((choice, i) => [choice, SERIES[i] ?? "var(--grey)"]));
}

function foldRisks(rows, colours, width) {
  const repeats = new Set(rows.map((row) => row.repeat)).size;
  const x = (row) => (repeats > 1 ? `${row.repeat}.${row.fold}` : String(row.fold));
  const domain = rows.map(x);
  const fill = (row) => colours.get(foldChoice(row));
  const title = (row) => `Fold ${x(row)}: ${showRisk(row.score)} (n = ${row.n})\n${foldChoice(row)}`;
  const mean = { stroke: "currentColor", strokeDasharray: "2 3", strokeOpacity: 0.6 };
  return plot({
    width,
    height: 246,
    marginLeft: 56,
    marginTop: 26,
    marginBottom: 40,
    x: {
      type: "point",
      domain,
      label: "outer fold",
      labelAnchor: "center",
      labelArrow: "none",
      ticks: domain.length * 24 > width ? [] : domain,
    },
    y: scoreAxis({ ticks: 5, zero: !data.loss.greater, labelAnchor: "top" }),
    marks: [
      Plot.ruleY([d3.mean(rows, (row) => row.score)], mean),
      // From the best value: the longer the line, the worse.
      Plot.ruleX(rows, { x, y1: data.loss.optimum, y2: "score", stroke: fill, strokeOpacity: 0.35 }),
      Plot.dot(rows, { x, y: "score", r: 4.5, fill }),
      Plot.tip(rows, Plot.pointer({ x, y: "score", title })),
    ],
  });
}

function choiceCounts(rows, colours, width) {
  const counts = d3.rollup(rows, (group) => group.length, foldChoice);
  const bars = [...colours].slice(0, 20).map(([choice, fill]) => ({ choice, fill, count: counts.get(choice) }));
  const domain = bars.map((bar) => bar.choice);
  const at = { x: "count", y: "choice" };
  return linePlot({
    domain,
    width,
    head: 34,
    part: 0.5,
    marginRight: 30,
    x: { label: null, ticks: 4, tickFormat: "d", grid: true, domain: [0, d3.max(counts.values())] },
    marks: [
      Plot.barX(bars, { ...at, fill: "fill", insetTop: 4, insetBottom: 4 }),
      Plot.text(bars, { ...at, text: "count", dx: 6, textAnchor: "start" }),
    ],
  });
}

function foldNodes({ learner, estimator }) {
  const own = (row) => row.learner === learner && row.estimator === estimator;
  const rows = unpack("folds").filter(own);
  const colours = choiceColours(rows);
  const common = { columns: data.tables.folds.columns, rows, name: `folds-${learner}-${estimator}` };
  const different = `${colours.size} different choices in ${rows.length} folds.`;
  const errors = figureCard({
    ...common,
    title: `${data.loss.title} of each outer fold.`,
    note: `Dashed: their mean, ${showRisk(d3.mean(rows, (row) => row.score))}.${pooledNote()}`,
    draw: (width) => foldRisks(rows, colours, width),
  });
  const choices = figureCard({
    ...common,
    title: "What was chosen without it.",
    note: colours.size === 1 ? "Every fold chose the same." : different,
    draw: (width) => choiceCounts(rows, colours, width),
  });
  const table = lazyTable("Every fold", () => buildTable(FOLD_COLUMNS, rows, common));
  return [el("div", { class: "cards" }, errors, choices), table];
}

// Of small folds, such values are far off: the estimate is that of all folds together.
function pooledNote() {
  return data.loss.pooled && !data.over_time ? " The estimate is that of all folds as one set, which may differ." : "";
}

function startFolds() {
  const holder = place("all-folds");
  if (!holder) return;
  const values = (key) => [...new Set(unpack("folds").map((row) => row[key]))];
  const [learners, estimators] = [values("learner"), values("estimator")];
  const now = { learner: learners.includes("all") ? "all" : learners[0], estimator: estimators[0] };
  const shown = el("div");
  const bar = el("div", { class: "bar" });
  const control = (label, key, names, title) => {
    const change = (name) => {
      now[key] = name;
      swap(shown, ...foldNodes(now));
    };
    bar.append(chooser(label, names.map((name) => [name, title(name)]), now[key], change));
  };
  control("Learner", "learner", learners, learnerTitle);
  if (estimators.length > 1) control("Estimator", "estimator", estimators, estimatorTitle);
  holder.append(bar, shown);
  swap(shown, ...foldNodes(now));
}
