// Classification: confusions, ROC and precision–recall curves.

function className(index) {
  return data.predictions.classes[index];
}

function classColour(index) {
  return SERIES[index % SERIES.length];
}

function square(width) {
  return { width, height: Math.min(width, 360), marginLeft: 48, marginBottom: 42, marginRight: 14 };
}

function unit(label) {
  return { domain: [0, 1], label, labelAnchor: "center", labelArrow: "none", grid: true, ticks: 5 };
}

function diagonal([low, high]) {
  const ends = [
    [low, low],
    [high, high],
  ];
  return Plot.line(ends, { stroke: "currentColor", strokeOpacity: 0.4, strokeDasharray: "2 3" });
}

// --- confusions -----------------------------------------------------------------------------

function confusionRows() {
  const { classes, confusion } = data.predictions;
  return confusion.flatMap((counts, i) => {
    const total = d3.sum(counts);
    return counts.map((count, j) => ({
      true: classes[i],
      predicted: classes[j],
      count,
      share: total ? count / total : 0,
      right: i === j,
    }));
  });
}

function confusionTitle(row) {
  const share = `${row.count} rows, ${showShare(row.share)} of the true class`;
  return `true: ${clip(row.true)}\npredicted: ${clip(row.predicted)}\n${share}`;
}

function confusionMarks(rows, cell) {
  const common = { x: "predicted", y: "true" };
  const fill = (row) => (row.right ? "var(--blue)" : "var(--amber)");
  const ink = (row) => (row.share > 0.6 ? "var(--sheet)" : "var(--ink)");
  const text = (row) => (row.count ? String(row.count) : "·");
  return [
    Plot.cell(rows, { ...common, fill, fillOpacity: (row) => 0.04 + 0.86 * row.share, inset: 1 }),
    cell > 14 ? Plot.text(rows, { ...common, text, fill: ink, fontSize: cell > 34 ? 13 : 9 }) : null,
    Plot.tip(rows, Plot.pointer({ ...common, title: confusionTitle })),
  ];
}

function confusionPlot(rows, width) {
  const { classes } = data.predictions;
  const room = labelRoom(classes, width);
  const cell = (width - room.marginLeft - 10) / classes.length;
  const tall = Math.max(16, Math.min(80, cell, 300 / classes.length));
  const rotate = cell < LETTER * d3.max(classes, (name) => [...room.short(name)].length);
  const scale = { type: "band", domain: classes, label: null, tickSize: 0 };
  const short = rotate ? (name) => clip(name, 13) : room.short;
  return plot({
    width,
    height: tall * classes.length + (rotate ? 80 : 36),
    marginLeft: room.marginLeft,
    marginTop: 6,
    marginRight: 10,
    marginBottom: rotate ? 74 : 30,
    x: { ...scale, tickFormat: short, tickRotate: rotate ? -40 : 0 },
    y: { ...scale, tickFormat: room.short },
    opacity: { type: "identity" },
    marks: confusionMarks(rows, cell),
  });
}

// --- curves ---------------------------------------------------------------------------------

// The points of mean curves (set 0), and of the curves of held-out sets.
function curveRows(x, y) {
  return data.predictions.curves.flatMap((one) =>
    [one, ...one.each].flatMap((line, set) =>
      line[x].map((value, i) => ({ class: className(one.class), index: one.class, set, [x]: value, [y]: line[y][i] })),
    ),
  );
}

function curveLines(rows, x, y, options) {
  const stroke = (row) => classColour(row.index);
  const each = rows.filter((row) => row.set > 0);
  const mean = rows.filter((row) => row.set === 0);
  return [
    Plot.line(each, { x, y, z: "set", stroke, strokeWidth: 0.8, strokeOpacity: 0.45, ...options }),
    Plot.line(mean, { x, y, z: "index", stroke, strokeWidth: 1.8, ...options }),
  ];
}

function rocPlot(rows, width) {
  return plot({
    ...square(width),
    x: unit("false positive rate"),
    y: unit("true positive rate"),
    marks: [diagonal([0, 1]), ...curveLines(rows, "false", "true", {})],
  });
}

function recallPlot(rows, width) {
  const stroke = (one) => classColour(one.class);
  const shares = { y: "share", stroke, strokeOpacity: 0.4, strokeDasharray: "2 3" };
  return plot({
    ...square(width),
    x: unit("recall"),
    y: unit("precision"),
    marks: [
      Plot.ruleY(data.predictions.curves, shares),
      ...curveLines(rows, "recall", "precision", { curve: "step-before" }),
    ],
  });
}

// --- cards ----------------------------------------------------------------------------------

function classKey(entries) {
  const key = el("ul", { class: "key" });
  for (const [index, text] of entries) {
    const swatch = el("span", { class: "swatch", style: `background: ${classColour(index)}` });
    key.append(el("li", {}, swatch, `${clip(className(index), 40)} ${text}`));
  }
  return key;
}

function against() {
  const { classes } = data.predictions;
  return classes.length > 2 ? "One class against the rest." : `For ${clip(className(data.predictions.curves[0].class))}.`;
}

// Scores of different models are not compared: each held-out set has a curve of its own.
function averaging(area) {
  const most = d3.max(data.predictions.curves, (one) => one.sets);
  const each = data.predictions.curves.some((one) => one.each.length > 0);
  if (most === 1) return `With the ${area}.`;
  return `Mean of ${most} held-out sets, with their mean ${area}.${each ? " Thin: each set." : ""}`;
}

function confusionCard() {
  const rows = confusionRows();
  return figureCard({
    name: "confusions",
    title: "Confusions.",
    note: "True classes down, predicted across; the shade is the share of the true class.",
    columns: ["true", "predicted", "count", "share"],
    rows,
    draw: (width) => confusionPlot(rows, width),
  });
}

function curveCard(name, title, note, draw, area, [x, y]) {
  const rows = curveRows(x, y);
  const columns = ["class", "set", x, y];
  const key = classKey(data.predictions.curves.map((one) => [one.class, one[area].toFixed(3)]));
  const options = { name, title, note: `${against()} ${note}`, columns, rows };
  return figureCard({ ...options, draw: (width) => draw(rows, width) }, key);
}

function classCards() {
  const { curves } = data.predictions;
  const recall = `${averaging("average precision")} Dashed: the share of the class.`;
  return [
    confusionCard(),
    ...(curves.length > 0
      ? [
          curveCard("roc", "ROC.", averaging("AUC"), rocPlot, "auc", ["false", "true"]),
          curveCard("precision-recall", "Precision and recall.", recall, recallPlot, "ap", ["recall", "precision"]),
        ]
      : []),
  ];
}
