// Risk over time: every block between its first and its last time, and what was chosen before it.

const TIME_COLUMNS = [
  { key: "block", title: "Block", number: true },
  { key: "from", title: "From" },
  { key: "to", title: "To" },
  { key: "trained", title: "Trained on", number: true },
  { key: "n", title: "n", number: true },
  { key: "series", title: "Model" },
  { key: "choice", title: "θ" },
  { key: "score", title: data?.loss.title, number: true, show: (value) => showRisk(value) },
];

function timeRows() {
  const { dates, table } = data.over_time;
  const moment = (value) => (dates ? new Date(1000 * value) : value);
  return rowsOf(table).map(scored).map((row) => ({
    ...row,
    x1: moment(row.start),
    x2: moment(row.end),
    middle: moment((row.start + row.end) / 2),
    tuned: row.estimator === "nested_rolling",
    series: seriesOverTime(row),
    choice: foldChoice(row),
  }));
}

function seriesOverTime(row) {
  const name = learnerTitle(row.learner);
  return row.estimator === "nested_rolling" ? `${name}, tuned before each block` : `${name}, selected θ`;
}

// The procedure and its parts: one learner with its own choices, or all learners together.
function timeShown(rows, learner) {
  const wanted = (row) => row.learner === learner || (learner === "all" && !row.tuned);
  return rows.filter(wanted);
}

function timePlot(rows, colours, width) {
  const stroke = (row) => colours.get(row.series);
  const fill = (row) => (row.tuned ? stroke(row) : "var(--paper)");
  const title = (row) =>
    `${row.series}\n${row.from} to ${row.to}: ${showRisk(row.score)} (n = ${row.n})\n${row.choice}`;
  const at = { x: "middle", y: "score", z: "series" };
  return plot({
    width,
    height: 300,
    marginLeft: 56,
    marginTop: 26,
    marginBottom: 40,
    x: {
      type: data.over_time.dates ? "utc" : "linear",
      label: data.over_time.column,
      labelAnchor: "center",
      labelArrow: "none",
      nice: true,
      ...(data.over_time.dates ? {} : { tickFormat: (value) => String(value) }),
    },
    y: scoreAxis({ ticks: 5, zero: !data.loss.greater, labelAnchor: "top" }),
    marks: [
      Plot.line(rows, { ...at, stroke, strokeOpacity: 0.35 }),
      Plot.ruleY(rows, { y: "score", x1: "x1", x2: "x2", stroke, strokeWidth: 2 }),
      Plot.dot(rows, { ...at, r: (row) => (row.tuned ? 4.5 : 3.5), fill, stroke, strokeWidth: 1.5 }),
      Plot.tip(rows, Plot.pointer({ x: "middle", y: "score", title })),
    ],
  });
}

function timeKey(colours) {
  const key = el("ul", { class: "key" });
  for (const [series, colour] of colours) {
    const swatch = el("span", { class: "swatch", style: `background: ${colour}` });
    key.append(el("li", {}, swatch, clip(series, 60)));
  }
  return key;
}

function timeNodes(all, learner) {
  const rows = timeShown(all, learner);
  const names = [...new Set(rows.map((row) => row.series))];
  const colours = new Map(names.map((name, i) => [name, SERIES[i] ?? "var(--grey)"]));
  const columns = ["learner", "estimator", "block", "from", "to", "trained", "n", "chosen", "theta", "risk"];
  const common = { columns, rows, name: `over-time-${learner}` };
  const card = figureCard(
    {
      ...common,
      title: `${data.loss.title} of each block of time.`,
      note: "Lines span the time of a block. Filled dots: θ was chosen before the block.",
      draw: (width) => timePlot(rows, colours, width),
    },
    timeKey(colours),
  );
  const table = lazyTable("Every block", () => buildTable(TIME_COLUMNS, rows, common));
  return [card, table];
}

function startTime() {
  const holder = place("over-time");
  if (!holder) return;
  const rows = timeRows();
  const learners = [...new Set(rows.map((row) => row.learner))];
  if (!learners.includes("all")) learners.unshift("all");
  const shown = el("div");
  const bar = el("div", { class: "bar" });
  const options = learners.map((name) => [name, learnerTitle(name)]);
  bar.append(chooser("Learner", options, "all", (name) => swap(shown, ...timeNodes(rows, name))));
  holder.append(bar, shown);
  swap(shown, ...timeNodes(rows, "all"));
}
