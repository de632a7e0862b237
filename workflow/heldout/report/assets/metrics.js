// Metrics of every θ, and comparisons of learners.

function plainColumns(name) {
  const rows = unpack(name);
  return data.tables[name].columns.map((key) => ({
    key,
    title: key.replaceAll("_", " "),
    number: rows.every((row) => row[key] === null || isNumber(row[key])),
    show: key === "theta" ? (theta) => showTheta(theta) : columnFormat(rows.map((row) => row[key])),
  }));
}

function isSelected(row) {
  const own = data.selection.learners[row.learner];
  return own !== undefined && showTheta(own.theta) === showTheta(row.theta);
}

function startMetrics() {
  const holder = place("all-metrics");
  if (!holder) return;
  const options = { name: "metrics", marked: isSelected };
  holder.append(lazyTable("Every θ", () => buildTable(plainColumns("metrics"), unpack("metrics"), options)));
}

// --- comparisons ----------------------------------------------------------------------------

const COMPARISON_COLUMNS = ["learner_a", "learner_b", "difference", "ci_low", "ci_high"];

// Every pair with the selected learner, turned so that it comes first.
function againstSelected(rows) {
  const best = data.selection.learner;
  return rows
    .filter((row) => row.learner_a === best || row.learner_b === best)
    .map((row) => {
      if (row.learner_a === best) return { ...row, other: row.learner_b };
      const turned = { learner_a: best, learner_b: row.learner_a, difference: -row.difference };
      const ends = { ci_low: -row.ci_high, ci_high: -row.ci_low };
      const chance = isNumber(row.prob_a_better) ? { prob_a_better: 1 - row.prob_a_better } : {};
      return { ...row, ...turned, ...ends, ...chance, other: row.learner_a };
    });
}

function forest(rows, width) {
  const domain = d3.groupSort(rows, (group) => -group[0].difference, (row) => row.other);
  const colour = (row) => (row.ci_high < 0 ? "var(--green)" : row.ci_low > 0 ? "var(--amber)" : "var(--grey)");
  const title = (row) =>
    `${data.selection.learner} − ${row.other}: ${showRisk(row.difference)}\n${showInterval(row.ci_low, row.ci_high)}`;
  const ends = { x1: "ci_low", x2: "ci_high", y: "other", strokeLinecap: "round" };
  return linePlot({
    domain,
    width,
    head: 36,
    marginRight: 24,
    x: riskAxis({ ticks: Math.max(3, width / 100) }),
    marks: [
      Plot.ruleX([0], { stroke: "currentColor", strokeOpacity: 0.6 }),
      Plot.ruleY(rows, { ...ends, stroke: colour, strokeWidth: 3, strokeOpacity: 0.55 }),
      Plot.dot(rows, { x: "difference", y: "other", fill: colour, r: 4.5 }),
      Plot.tip(rows, Plot.pointer({ x: "difference", y: "other", title })),
    ],
  });
}

function startComparisons() {
  const holder = place("all-comparisons");
  if (!holder) return;
  const table = data.tables.comparisons;
  const all = unpack("comparisons");
  const known = COMPARISON_COLUMNS.every((column) => table.columns.includes(column));
  const rows = known ? drawnPairs(againstSelected(all)) : [];
  if (rows.length > 0) holder.append(forestFigure(rows, table.columns));
  const build = () => buildTable(plainColumns("comparisons"), all, { name: "comparisons" });
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
    title: `Risk of ${data.selection.learner} minus that of the others.`,
    note: "Left of zero: the selected learner is better. Green: the whole interval says so.",
    columns,
    rows,
    draw: (width) => forest(rows, width),
  });
}
