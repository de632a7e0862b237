// Further measures with all their intervals, and comparisons of learners.

function measured(show) {
  return (value, row) => show(value, row, data.metrics[row.metric].format);
}

const METRIC_COLUMNS = [
  { key: "metric", title: "Metric" },
  { key: "learner", title: "Learner", show: learnerTitle },
  { key: "estimator", title: "Estimator", show: estimatorLink },
  { key: "value", title: "Value", number: true, show: measured((value, _, format) => showRisk(value, format)) },
  { key: "ci_low", title: "Interval", number: true, show: measured((low, row, format) => showInterval(low, row.ci_high, format)) },
  { key: "interval", title: "Method", class: "method", show: methodCell },
  { key: "recommended", title: "Recommended", show: showTruth },
  { key: "n", title: "n", number: true },
  { key: "note", title: "Note", class: "long", show: (text) => text ?? "" },
];

function startMetrics() {
  const holder = place("all-metrics");
  if (!holder) return;
  const rows = unpack("metrics");
  const options = { name: "metrics", csv: { columns: data.tables.metrics.columns, rows } };
  holder.append(lazyTable(`All ${rows.length} values and intervals`, () => buildTable(METRIC_COLUMNS, rows, options)));
}

// --- comparisons ----------------------------------------------------------------------------

const COMPARISON_COLUMNS = ["learner_a", "learner_b", "difference", "ci_low", "ci_high"];

// The effect with its intervals first, p values last.
const PAIR_COLUMNS = [
  { key: "learner_a", title: "Learner a" },
  { key: "learner_b", title: "Learner b" },
  { key: "difference", title: `${data?.loss.title} of a − ${data?.loss.label} of b`, number: true, value: (row) => row.gap, show: (value) => showRisk(value) },
  { key: "ci_low", title: "Interval", number: true, value: (row) => row.gap_low, show: (low, row) => showInterval(low, row.gap_high) },
  { key: "holm_low", title: "Adjusted interval", number: true, value: (row) => row.wide_low, show: (low, row) => showInterval(low, row.wide_high) },
  { key: "told_apart", title: "Told apart", show: showTruth },
  { key: "prob_a_better", title: "Probability that a is better", number: true, show: (value) => showShare(value) },
  { key: "n", title: "n", number: true },
  { key: "p", title: "p", number: true, show: showP },
  { key: "p_holm", title: "p, adjusted", number: true, show: showP },
  { key: "note", title: "Note", show: (text) => text ?? "" },
];

function showP(value) {
  if (!isNumber(value)) return ABSENT;
  return value < 0.0001 ? "< 0.0001" : value.toFixed(4);
}

function negative(value) {
  return isNumber(value) ? -value : null;
}

// Differences of scores: where greater is better, those of risks with the other sign.
function gaps(row) {
  const turned = (low, high) => (data.loss.greater ? [negative(high), negative(low)] : [low, high]);
  const [gap] = turned(row.difference, row.difference);
  const [gap_low, gap_high] = turned(row.ci_low, row.ci_high);
  const [wide_low, wide_high] = turned(row.holm_low, row.holm_high);
  return { ...row, gap, gap_low, gap_high, wide_low, wide_high };
}

// Told apart by the adjusted interval, where there is one.
function verdict(row) {
  const [low, high] = isNumber(row.holm_low) ? [row.holm_low, row.holm_high] : [row.ci_low, row.ci_high];
  if (!isNumber(low) || !isNumber(high)) return "var(--grey)";
  return high < 0 ? "var(--green)" : low > 0 ? "var(--amber)" : "var(--grey)";
}

function pairText(row) {
  const lines = [`${data.selection.learner} − ${row.other}: ${showRisk(row.gap)}`];
  if (isNumber(row.gap_low)) lines.push(showInterval(row.gap_low, row.gap_high));
  if (isNumber(row.wide_low)) lines.push(`${showInterval(row.wide_low, row.wide_high)} (adjusted)`);
  if (row.note) lines.push(row.note);
  return lines.join("\n");
}

// Every pair with the selected learner, turned so that it comes first.
function againstSelected(rows) {
  const best = data.selection.learner;
  return rows
    .filter((row) => row.learner_a === best || row.learner_b === best)
    .map((row) => {
      if (row.learner_a === best) return gaps({ ...row, other: row.learner_b });
      const turned = { learner_a: best, learner_b: row.learner_a, difference: -row.difference };
      const ends = { ci_low: negative(row.ci_high), ci_high: negative(row.ci_low) };
      const adjusted = { holm_low: negative(row.holm_high), holm_high: negative(row.holm_low) };
      const chance = isNumber(row.prob_a_better) ? { prob_a_better: 1 - row.prob_a_better } : {};
      return gaps({ ...row, ...turned, ...ends, ...adjusted, ...chance, other: row.learner_a });
    });
}

function forest(rows, width) {
  const domain = d3.groupSort(rows, (group) => -group[0].difference, (row) => row.other);
  const known = (key) => rows.filter((row) => isNumber(row[key]));
  const ends = { x1: "gap_low", x2: "gap_high", y: "other", strokeLinecap: "round", stroke: verdict };
  const adjusted = { ...ends, x1: "wide_low", x2: "wide_high", strokeWidth: 1.2 };
  return linePlot({
    domain,
    width,
    head: 54,
    marginRight: 24,
    marginBottom: 42,
    x: scoreAxis({ label: `difference in ${data.loss.label}`, ticks: Math.max(3, width / 100) }),
    marks: [
      Plot.ruleX([0], { stroke: "currentColor", strokeOpacity: 0.6 }),
      Plot.ruleY(known("wide_low"), adjusted),
      Plot.ruleY(known("gap_low"), { ...ends, strokeWidth: 3, strokeOpacity: 0.55 }),
      Plot.dot(rows, { x: "gap", y: "other", fill: verdict, r: 4.5 }),
      Plot.tip(rows, Plot.pointer({ x: "gap", y: "other", title: pairText })),
    ],
  });
}

function startComparisons() {
  const holder = place("all-comparisons");
  if (!holder) return;
  const table = data.tables.comparisons;
  const all = unpack("comparisons").map(gaps);
  const known = COMPARISON_COLUMNS.every((column) => table.columns.includes(column));
  const rows = known ? drawnPairs(againstSelected(all)) : [];
  if (rows.length > 0) holder.append(forestFigure(rows, table.columns));
  const columns = PAIR_COLUMNS.filter(({ key }) => table.columns.includes(key));
  const options = { name: "comparisons", csv: { columns: table.columns, rows: all } };
  const build = () => buildTable(columns, all, options);
  holder.append(rows.length > 0 ? lazyTable(`All ${all.length} pairs`, build) : build());
}

// A baseline is far away from everything else: where there are others, only the table has it.
function drawnPairs(rows) {
  const others = rows.filter((row) => !data.baselines.includes(row.other));
  return (others.length > 0 ? others : rows).slice(0, SHOWN_LEARNERS);
}

function forestFigure(rows, columns) {
  return figure({
    name: "comparisons-with-selected",
    title: `${data.loss.title} of ${data.selection.learner} minus that of the others.`,
    note: `${data.loss.greater ? "Right" : "Left"} of zero: the selected learner is better. Thin: the adjusted interval. Green: the whole of it says so.`,
    columns,
    rows,
    draw: (width) => forest(rows, width),
  });
}
