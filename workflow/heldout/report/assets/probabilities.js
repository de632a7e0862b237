// Predicted probabilities judged: the reliability curve of a class, and its numbers.

const STRIP = 0.16;
const GAP = 0.06;

function binRows() {
  return data.predictions.calibration.flatMap((one) =>
    one.bins.map((bin) => ({ class: className(one.class), index: one.class, ...bin })),
  );
}

function binTitle(row) {
  const shares = `predicted ${showShare(row.predicted)}, observed ${showShare(row.observed)}`;
  const ends = `band ${showShare(row.low)} to ${showShare(row.high)}`;
  return `${clip(row.class)}\n${shares}\n${ends}\n${row.n} rows`;
}

// Below the curve, a bar as high as the number of rows of each bin.
function binBars(rows, colour) {
  const most = d3.max(rows, (row) => row.n);
  const ground = -GAP - STRIP;
  const top = (row) => ground + (STRIP * row.n) / most;
  const bars = { x: "predicted", y1: ground, y2: top };
  return Plot.ruleX(rows, { ...bars, stroke: colour, strokeOpacity: 0.5, strokeWidth: 6 });
}

// The class, and what it is told from.
function versus(one) {
  const { classes } = data.predictions;
  const rest = classes.length === 2 ? clip(classes[1 - one.class]) : "the rest";
  return `${clip(className(one.class))} against ${rest}`;
}

function reliabilityPlot(rows, colour, width) {
  const at = { x: "predicted", y: "observed" };
  const ends = { x: "predicted", y1: "low", y2: "high" };
  return plot({
    ...square(width),
    height: Math.min(width, 360) * (1 + STRIP + GAP),
    x: unit("predicted probability"),
    y: { ...unit("observed share"), domain: [-GAP - STRIP, 1], ticks: d3.range(0, 1.1, 0.2) },
    marks: [
      diagonal([0, 1]),
      Plot.areaY(rows, { ...ends, fill: colour, fillOpacity: 0.16 }),
      Plot.ruleX(rows, { ...ends, stroke: colour, strokeOpacity: 0.35, strokeWidth: 1.5 }),
      Plot.line(rows, { ...at, stroke: colour, strokeWidth: 1.8 }),
      Plot.dot(rows, { ...at, fill: colour, r: 3 }),
      binBars(rows, colour),
      Plot.tip(rows, Plot.pointer({ ...at, title: binTitle })),
    ],
  });
}

function reliabilityCard(one) {
  const everything = binRows();
  const rows = everything.filter((row) => row.index === one.class);
  const counts = d3.extent(rows, (row) => row.n);
  const range = counts[0] === counts[1] ? `${counts[0]}` : `${counts[0]} to ${counts[1]}`;
  return figureCard({
    name: "reliability",
    title: `Reliability: ${versus(one)}.`,
    label: `Predicted probability and observed share of ${rows.length} bins: ${versus(one)}`,
    note: `${data.predictions.band} Bars: the rows of each bin, ${range}.`,
    columns: ["class", "predicted", "observed", "low", "high", "n", "from", "to"],
    rows: everything,
    draw: (width) => reliabilityPlot(rows, classColour(one.class), width),
  });
}

function numberRow(number) {
  const title = explained("probability", number.name, number.title);
  const small = (text) => el("small", { class: "soft" }, text);
  const absent = number.value === null ? small(`Not known: ${number.note}.`) : null;
  const spread = number.spread === null ? null : el("small", {}, number.note);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, title, small(number.meaning), absent),
    el("td", { class: "number", "data-value": number.value ?? "" }, number.shown, spread),
  );
}

function numbersCard(one) {
  const { calibration } = data.predictions;
  const named = (entry) => entry.numbers.map((number) => ({ class: className(entry.class), ...number }));
  const save = csvButton("probabilities", ["class", "name", "value", "spread"], () => calibration.flatMap(named));
  const caption = el("caption", {}, versus(one));
  const head = el("tr", {}, el("th", { scope: "col" }, "Number"), el("th", { scope: "col", class: "number" }, "Value"));
  const body = el("tbody", {}, ...one.numbers.map(numberRow));
  const table = el("table", { class: "numbers" }, caption, el("thead", {}, head), body);
  return el("article", { class: "card" }, table, el("div", { class: "under" }, save));
}

function startProbabilities() {
  const holder = place("judged");
  if (!holder) return;
  const { calibration } = data.predictions;
  const cards = el("div", { class: "cards short" });
  const show = (index) => {
    const one = calibration.find((entry) => String(entry.class) === index);
    swap(cards, reliabilityCard(one), numbersCard(one));
  };
  const options = calibration.map((entry) => [String(entry.class), className(entry.class)]);
  const choose = chooser("Class", options, options[0][0], show);
  holder.append(...(options.length > 1 ? [choose] : []), cards);
  show(options[0][0]);
}
