// What the selected model said about rows that it had not seen.

function labelled(label, options = {}) {
  return { label, labelAnchor: "center", labelArrow: "none", nice: true, ticks: 6, ...options };
}

function pointTitle(row) {
  return `Row ${row.source}\ntrue ${showNumber(row.true)}, predicted ${showNumber(row.predicted)}`;
}

function cloud(rows, y) {
  const at = { x: "predicted", y };
  return [
    Plot.dot(rows, { ...at, r: 2.6, fill: "var(--blue)", fillOpacity: 0.45 }),
    Plot.tip(rows, Plot.pointer({ ...at, title: pointTitle })),
  ];
}

function agreementPlot(rows, width) {
  const domain = d3.extent(rows.flatMap((row) => [row.true, row.predicted]));
  return plot({
    ...square(width),
    marginLeft: 56,
    x: labelled("predicted", { domain, grid: true }),
    y: labelled("true", { domain, grid: true }),
    marks: [diagonal(domain), ...cloud(rows, "true")],
  });
}

function residualPlot(rows, width) {
  return plot({
    ...square(width),
    marginLeft: 56,
    x: labelled("predicted"),
    y: labelled("true − predicted", { grid: true }),
    marks: [Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.6 }), ...cloud(rows, "residual")],
  });
}

function histogramPlot(rows, width) {
  const bars = { x1: "low", x2: "high", y: "count", inset: 0.5 };
  return plot({
    width,
    height: 230,
    marginLeft: 48,
    marginBottom: 42,
    x: labelled("true − predicted", { nice: false }),
    y: { label: null, grid: true, ticks: 4 },
    marks: [
      Plot.rectY(rows, { ...bars, fill: "var(--blue)", fillOpacity: 0.6 }),
      Plot.ruleX([0], { stroke: "currentColor", strokeOpacity: 0.6 }),
    ],
  });
}

function cloudCard(name, title, note, rows, draw) {
  const { n } = data.predictions;
  const part = rows.length < n ? ` ${rows.length} of ${n} rows.` : "";
  const columns = ["source", "true", "predicted", "residual"];
  const options = { name, title, note: note + part, columns, rows };
  return figureCard({ ...options, draw: (width) => draw(rows, width) });
}

function regressionCards() {
  const { points, histogram } = data.predictions;
  const rows = rowsOf(points).map((row) => ({ ...row, residual: row.true - row.predicted }));
  const bars = rowsOf(histogram);
  const missed = "A pattern here is something the model missed.";
  return [
    cloudCard("agreement", "True against predicted.", "Dashed: agreement.", rows, agreementPlot),
    cloudCard("residuals", "Residuals.", missed, rows, residualPlot),
    figureCard({
      name: "residual-counts",
      title: "Distribution of the residuals.",
      note: "Rows per bin.",
      columns: histogram.columns,
      rows: bars,
      draw: (width) => histogramPlot(bars, width),
    }),
  ];
}

function summaryList() {
  const list = el("dl", { class: "row" });
  for (const [name, value] of Object.entries(data.predictions.summary ?? {})) {
    list.append(el("div", {}, el("dt", {}, name), el("dd", {}, showNumber(value))));
  }
  return list;
}

const HARDEST_TITLES = {
  row: "Row",
  true: "True",
  predicted: "Predicted",
  probability: "Probability of the truth",
};

function hardestTable() {
  const { hardest, classes } = data.predictions;
  const rows = rowsOf(hardest);
  const text = new Set(classes ? ["true", "predicted"] : []);
  const columns = hardest.columns.map((key) => ({
    key,
    title: HARDEST_TITLES[key] ?? capital(data.predictions.judged_by),
    number: !text.has(key),
    show: text.has(key) ? undefined : columnFormat(rows.map((row) => row[key])),
  }));
  return buildTable(columns, rows, { name: "hardest-rows" });
}

function startPredictions() {
  const holder = place("held-out");
  if (!holder) return;
  const classes = data.predictions.kind === "classification";
  const cards = el("div", { class: "cards" }, ...(classes ? classCards() : regressionCards()));
  holder.append(summaryList(), cards);
  if (rowsOf(data.predictions.hardest).length === 0) return;
  const which = `Rows of the source table, counted from 1, with the largest ${data.predictions.judged_by}.`;
  holder.append(el("h3", {}, "The hardest rows"), el("p", {}, which), hardestTable());
}
