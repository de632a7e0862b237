// Classification: confusions, ROC and precision–recall curves, calibration.

function className(index) {
  return data.predictions.classes[index];
}

function classColour(index) {
  return SERIES[index % SERIES.length];
}

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

function confusionPlot(rows, width) {
  const { classes } = data.predictions;
  const room = labelRoom(classes, width);
  const cell = (width - room.marginLeft - 10) / classes.length;
  const tall = Math.max(16, Math.min(80, cell, 300 / classes.length));
  const scale = { type: "band", domain: classes, label: null, tickSize: 0 };
  const common = { x: "predicted", y: "true" };
  const text = { ...common, text: (row) => (row.count ? String(row.count) : "·"), fontSize: cell > 34 ? 13 : 9 };
  const title = (row) => `true: ${clip(row.true)}\npredicted: ${clip(row.predicted)}\n${row.count} rows, ${showShare(row.share)} of the true class`;
  const longest = Math.max(...classes.map((name) => [...room.short(name)].length));
  const rotate = cell < 8 * longest;
  return plot({
    width,
    height: tall * classes.length + (rotate ? 80 : 36),
    marginLeft: room.marginLeft,
    marginTop: 6,
    marginRight: 10,
    marginBottom: rotate ? 74 : 30,
    x: { ...scale, tickFormat: rotate ? (name) => clip(name, 13) : room.short, tickRotate: rotate ? -40 : 0 },
    y: { ...scale, tickFormat: room.short },
    opacity: { type: "identity" },
    marks: [
      Plot.cell(rows, { ...common, fill: (row) => (row.right ? "var(--blue)" : "var(--amber)"), fillOpacity: (row) => 0.04 + 0.86 * row.share, inset: 1 }),
      classes.length <= 30 ? Plot.text(rows, { ...text, fill: (row) => (row.share > 0.6 ? "var(--sheet)" : "var(--ink)") }) : null,
      Plot.tip(rows, Plot.pointer({ ...common, title })),
    ],
  });
}

function square(width) {
  return { width, height: Math.min(width, 360), marginLeft: 48, marginBottom: 42, marginRight: 14 };
}

function unit(label) {
  return { domain: [0, 1], label, labelAnchor: "center", labelArrow: "none", grid: true, ticks: 5 };
}

function curveRows() {
  return data.predictions.curves.flatMap((one) =>
    one.true.map((value, i) => ({
      class: className(one.class),
      index: one.class,
      false_positive_rate: one.false[i],
      true_positive_rate: value,
      precision: one.precision[i],
    })),
  );
}

function rocPlot(rows, width) {
  return plot({
    ...square(width),
    x: unit("false positive rate"),
    y: unit("true positive rate"),
    marks: [
      Plot.line([[0, 0], [1, 1]], { stroke: "currentColor", strokeOpacity: 0.35, strokeDasharray: "2 3" }),
      Plot.line(rows, { x: "false_positive_rate", y: "true_positive_rate", z: "index", stroke: (row) => classColour(row.index), strokeWidth: 1.8 }),
    ],
  });
}

function recallPlot(rows, width) {
  const shares = data.predictions.curves;
  return plot({
    ...square(width),
    x: unit("recall"),
    y: unit("precision"),
    marks: [
      Plot.ruleY(shares, { y: "share", stroke: (one) => classColour(one.class), strokeOpacity: 0.4, strokeDasharray: "2 3" }),
      Plot.line(rows, { x: "true_positive_rate", y: "precision", z: "index", stroke: (row) => classColour(row.index), strokeWidth: 1.8, curve: "step-before" }),
    ],
  });
}

function calibrationRows() {
  return data.predictions.calibration.flatMap((one) =>
    one.bins.map((bin) => ({ class: className(one.class), index: one.class, ...bin })),
  );
}

function calibrationPlot(rows, width) {
  const colour = (row) => classColour(row.index);
  const title = (row) => `${clip(row.class)}\npredicted ${showShare(row.predicted)}, observed ${showShare(row.observed)}\n${row.n} rows`;
  return plot({
    ...square(width),
    x: unit("predicted probability"),
    y: unit("observed share"),
    marks: [
      Plot.line([[0, 0], [1, 1]], { stroke: "currentColor", strokeOpacity: 0.35, strokeDasharray: "2 3" }),
      Plot.ruleX(rows, { x: "predicted", y1: "low", y2: "high", stroke: colour, strokeOpacity: 0.3, strokeWidth: 2 }),
      Plot.line(rows, { x: "predicted", y: "observed", z: "index", stroke: colour, strokeOpacity: 0.6 }),
      Plot.dot(rows, { x: "predicted", y: "observed", fill: colour, r: 3 }),
      Plot.tip(rows, Plot.pointer({ x: "predicted", y: "observed", title })),
    ],
  });
}

function classKey(entries) {
  const key = el("ul", { class: "key" });
  for (const [index, text] of entries) {
    const swatch = el("span", { class: "swatch", style: `background: ${classColour(index)}` });
    key.append(el("li", {}, swatch, `${clip(className(index), 40)}${text}`));
  }
  return key;
}

function classFigures() {
  const { curves, calibration, classes } = data.predictions;
  const against = classes.length > 2 ? "One class against the rest." : `For ${clip(classes[1])}.`;
  const confusions = confusionRows();
  const found = [
    [{ name: "confusions", title: "Confusions.", note: "True classes down, predicted across; the shade is the share of the true class.", columns: ["true", "predicted", "count", "share"], rows: confusions, draw: (width) => confusionPlot(confusions, width) }],
  ];
  if (calibration.length > 0) {
    const rows = calibrationRows();
    const columns = ["class", "predicted", "observed", "low", "high", "n"];
    found.push([{ name: "calibration", title: "Calibration.", note: `${against} Bins of width 0.1, small ones merged; 95${PERCENT} Wilson intervals.`, columns, rows, draw: (width) => calibrationPlot(rows, width) }, classKey(calibration.map((one) => [one.class, ""]))]);
  }
  if (curves.length > 0) {
    const rows = curveRows();
    const columns = ["class", "false_positive_rate", "true_positive_rate", "precision"];
    found.push([{ name: "roc", title: "ROC.", note: `${against} With the area under the curve.`, columns, rows, draw: (width) => rocPlot(rows, width) }, classKey(curves.map((one) => [one.class, `  ${one.auc.toFixed(3)}`]))]);
    found.push([{ name: "precision-recall", title: "Precision and recall.", note: `${against} With the average precision; dashed: the share of the class.`, columns, rows, draw: (width) => recallPlot(rows, width) }, classKey(curves.map((one) => [one.class, `  ${one.ap.toFixed(3)}`]))]);
  }
  return found.map(([options, key]) => el("article", { class: "card" }, figure(options), key));
}
