// What the selected model said about rows that it had not seen.

function agreementPlot(rows, width) {
  const all = rows.flatMap((row) => [row.true, row.predicted]);
  const domain = d3.extent(all);
  const axis = (label) => ({ domain, nice: true, label, labelAnchor: "center", labelArrow: "none", grid: true, ticks: 6 });
  return plot({
    ...square(width),
    marginLeft: 56,
    x: axis("predicted"),
    y: axis("true"),
    marks: [
      Plot.line([[domain[0], domain[0]], [domain[1], domain[1]]], { stroke: "currentColor", strokeOpacity: 0.5, strokeDasharray: "2 3" }),
      Plot.dot(rows, { x: "predicted", y: "true", r: 2.6, fill: "var(--blue)", fillOpacity: 0.45 }),
      Plot.tip(rows, Plot.pointer({ x: "predicted", y: "true", title: pointTitle })),
    ],
  });
}

function residualPlot(rows, width) {
  return plot({
    ...square(width),
    marginLeft: 56,
    x: { label: "predicted", labelAnchor: "center", labelArrow: "none", nice: true, ticks: 6 },
    y: { label: "true − predicted", labelAnchor: "center", labelArrow: "none", grid: true, nice: true, ticks: 6 },
    marks: [
      Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.6 }),
      Plot.dot(rows, { x: "predicted", y: "residual", r: 2.6, fill: "var(--blue)", fillOpacity: 0.45 }),
      Plot.tip(rows, Plot.pointer({ x: "predicted", y: "residual", title: pointTitle })),
    ],
  });
}

function pointTitle(row) {
  return `Row ${row.source}\ntrue ${showNumber(row.true)}, predicted ${showNumber(row.predicted)}`;
}

function histogramPlot(rows, width) {
  return plot({
    width,
    height: 230,
    marginLeft: 48,
    marginBottom: 42,
    x: { label: "true − predicted", labelAnchor: "center", labelArrow: "none", ticks: 6 },
    y: { label: null, grid: true, ticks: 4 },
    marks: [
      Plot.rectY(rows, { x1: "low", x2: "high", y: "count", fill: "var(--blue)", fillOpacity: 0.6, inset: 0.5 }),
      Plot.ruleX([0], { stroke: "currentColor", strokeOpacity: 0.6 }),
    ],
  });
}

function regressionFigures() {
  const { points, histogram, n } = data.predictions;
  const rows = rowsOf(points).map((row) => ({ ...row, residual: row.true - row.predicted }));
  const columns = ["source", "true", "predicted", "residual"];
  const part = rows.length < n ? ` ${rows.length} of ${n} rows.` : "";
  const bars = rowsOf(histogram);
  const found = [
    { name: "agreement", title: "True against predicted.", note: `Dashed: agreement.${part}`, columns, rows, draw: (width) => agreementPlot(rows, width) },
    { name: "residuals", title: "Residuals.", note: `A pattern here is something the model missed.${part}`, columns, rows, draw: (width) => residualPlot(rows, width) },
    { name: "residual-counts", title: "Distribution of the residuals.", note: "Rows per bin.", columns: histogram.columns, rows: bars, draw: (width) => histogramPlot(bars, width) },
  ];
  return found.map((options) => el("article", { class: "card" }, figure(options)));
}

function summaryList() {
  const list = el("dl", { class: "row" });
  for (const [name, value] of Object.entries(data.predictions.summary ?? {})) {
    list.append(el("div", {}, el("dt", {}, name), el("dd", {}, showNumber(value))));
  }
  return list;
}

const HARDEST_TITLES = { row: "Row", true: "True", predicted: "Predicted", probability: "Probability of the truth", loss: "Loss" };

function hardestTable() {
  const { hardest } = data.predictions;
  const text = new Set(data.predictions.classes ? ["true", "predicted"] : []);
  const rows = rowsOf(hardest);
  const columns = hardest.columns.map((key) => ({
    key,
    title: HARDEST_TITLES[key] ?? key,
    number: !text.has(key),
    show: text.has(key) ? undefined : columnFormat(rows.map((row) => row[key])),
  }));
  return buildTable(columns, rows, { name: "hardest-rows" });
}

function startPredictions() {
  const holder = place("held-out");
  if (!holder) return;
  const classes = data.predictions.kind === "classification";
  const cards = el("div", { class: "cards" });
  cards.append(...(classes ? classFigures() : regressionFigures()));
  holder.append(summaryList(), cards);
  if (rowsOf(data.predictions.hardest).length > 0) {
    holder.append(el("h3", {}, "The hardest rows"), el("p", {}, "Rows of the source table, counted from 1, with the largest losses."), hardestTable());
  }
}
