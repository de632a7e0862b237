// The charts of an audit: bias and coverage of every estimate, by size.

const audit = unpack("audit");
const sizes = [...new Set(audit.map((row) => row.m))].sort((a, b) => a - b);

function sizeColour(m) {
  return SERIES[sizes.indexOf(m) % SERIES.length];
}

function sizeKey() {
  const item = (m) =>
    el("li", {}, el("span", { class: "swatch", style: `background: ${sizeColour(m)}` }), `m = ${m}`);
  return el("ul", { class: "key" }, ...sizes.map(item));
}

function shift(m) {
  return 7 * (sizes.indexOf(m) - (sizes.length - 1) / 2);
}

// One line per label, one dot per size on it, with a bar from `low` to `high`.
function sizePlot({ rows, title, x, mark, low, high, tip, width }) {
  const labels = [...new Set(rows.map(title))];
  const room = labelRoom(labels, width, 0.45);
  const marks = sizes.flatMap((m) => {
    const own = rows.filter((row) => row.m === m);
    const place = { y: title, dy: shift(m), stroke: sizeColour(m) };
    return [
      Plot.ruleY(own, { ...place, x1: low, x2: high, strokeWidth: 2.5, strokeOpacity: 0.55 }),
      Plot.dot(own, { ...place, x, r: 4, fill: sizeColour(m) }),
      Plot.tip(own, Plot.pointer({ x, y: title, dy: shift(m), title: tip })),
    ];
  });
  return plot({
    width,
    height: 44 + labels.length * (16 + 7 * sizes.length),
    marginLeft: room.marginLeft,
    marginRight: 24,
    marginTop: 4,
    x: { label: null, grid: true, nice: true, ticks: Math.max(3, width / 110), tickFormat: (v) => minus(+(100 * v).toFixed(3)) + PERCENT },
    y: { domain: labels, label: null, tickFormat: room.short, tickSize: 0 },
    marks: [Plot.ruleX([mark], { stroke: "var(--ink)", strokeDasharray: "4 3" }), ...marks],
  });
}

// A figure of one learner's rows; `marks` is what `sizePlot` needs besides the rows.
function sizeFigure({ name, learner, note, rows, ...marks }) {
  return figure({
    name: `${name.toLowerCase()}-${learner}`,
    title: `${name} for ${learnerTitle(learner)}.`,
    note,
    columns: data.tables.audit.columns,
    rows,
    draw: (width) => sizePlot({ rows, width, ...marks }),
  });
}

function biasFigure(learner) {
  const seen = new Set();
  const rows = audit.filter((row) => {
    const key = `${row.m} ${row.estimator}`;
    const fits = row.learner === learner && row.target === data.wanted[row.estimator] && !seen.has(key);
    if (fits) seen.add(key);
    return fits;
  });
  const share = (row) => 2 * row.bias_se / Math.abs(row.truth || 1);
  return sizeFigure({
    name: "Bias",
    learner,
    note: "Each estimate against the quantity that it is used for.",
    rows,
    mark: 0,
    title: (row) => estimatorTitle(row.estimator),
    x: "relative_bias",
    low: (row) => row.relative_bias - share(row),
    high: (row) => row.relative_bias + share(row),
    tip: (row) => `${estimatorTitle(row.estimator)}, m = ${row.m}\n${showShare(row.relative_bias, 2)} ± ${showShare(share(row) / 2, 2)}\nRMSE ${showRisk(row.rmse)}, ${row.fits} fits`,
  });
}

function coverageFigure(learner) {
  const rows = audit.filter((row) => row.learner === learner && row.derived === 1 && isNumber(row.coverage));
  if (rows.length === 0) return el("p", { class: "soft" }, "No interval is valid for these estimates.");
  const title = (row) => `${estimatorTitle(row.estimator)}: ${intervalTitle(row.interval)}`;
  return sizeFigure({
    name: "Coverage",
    learner,
    note: "With two Monte Carlo standard errors.",
    rows,
    mark: data.level,
    title,
    x: "coverage",
    low: (row) => Math.max(0, row.coverage - 2 * row.coverage_se),
    high: (row) => Math.min(1, row.coverage + 2 * row.coverage_se),
    tip: (row) => `${title(row)}, m = ${row.m}\n${showShare(row.coverage)} ± ${showShare(row.coverage_se)}\nmean width ${showRisk(row.width)}`,
  });
}

const AUDIT_COLUMNS = [
  { title: "m", number: true, value: (row) => row.m },
  { title: "Learner", value: (row) => row.learner, show: learnerTitle },
  { title: "Estimator", value: (row) => row.estimator, show: (name) => explained("estimator", name, estimatorTitle(name)) },
  { title: "Against", value: (row) => row.target, show: (name) => explained("target", name, name.replaceAll("_", " ")) },
  { title: "Truth", number: true, value: (row) => row.truth, show: (value) => showRisk(value) },
  { title: "Bias", number: true, value: (row) => row.relative_bias, show: biasCell },
  { title: "SD", number: true, value: (row) => row.sd, show: (value) => showRisk(value) },
  { title: "RMSE", number: true, value: (row) => row.rmse, show: (value) => showRisk(value) },
  { title: "Interval", value: (row) => row.interval, show: intervalTitle },
  { title: "Covers", number: true, value: (row) => row.coverage, show: (value) => showShare(value) },
  { title: "Width", number: true, value: (row) => row.width, show: (value) => showRisk(value) },
  { title: "Fits", number: true, value: (row) => row.fits },
];

function biasCell(value, row) {
  const error = showShare(row.bias_se / Math.abs(row.truth || 1), 2);
  return el("span", {}, minus(showShare(value, 2)), el("small", {}, `± ${error}`));
}

function startAudit() {
  const learners = [...new Set(audit.map((row) => row.learner))];
  const charts = [["bias-chart", biasFigure], ["coverage-chart", coverageFigure]];
  for (const [id, make] of charts) {
    const holder = el("div");
    const choose = (name) => swap(holder, make(name));
    const options = learners.map((name) => [name, learnerTitle(name)]);
    if (learners.length > 1) place(id).append(chooser("Learner", options, data.learner, choose));
    place(id).append(sizeKey(), holder);
    choose(data.learner);
  }
  const csv = { columns: data.tables.audit.columns, rows: audit };
  place("all-numbers").append(buildTable(AUDIT_COLUMNS, audit, { name: "audit", csv }));
}

themeToggle(place("theme"));
for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);
startAudit();
startPainting();
