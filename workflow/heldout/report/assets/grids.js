// Scores versus θ: a curve for one hyper-parameter, a map for two (of more: through the selected θ), a table always.

const risks = groupBy(unpack("risks"), "learner");
const FIRST_GRIDS = 12;
const USUAL = ["training", "holdout", "kfold"];

function axisLabel(value) {
  return clip(showValue(value), 16);
}

function sameValue(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function isAt(theta, grid, marked) {
  if (marked === null) return false;
  return grid.axes.every(({ name }) => sameValue(theta[name], marked[name]));
}

const keptThetas = new Set(
  unpack("confidence_set").filter((row) => row.kept).map((row) => `${row.learner}\u0000${row.theta}`),
);

function gridRows(grid) {
  return risks.get(grid.learner).map((row) => {
    const theta = JSON.parse(row.theta);
    const chosen = isAt(theta, grid, grid.selected);
    const kept = keptThetas.has(`${row.learner}\u0000${row.theta}`);
    return { ...row, values: theta, chosen, kept, simple: !chosen && isAt(theta, grid, grid.one_se) };
  });
}

// --- one hyper-parameter --------------------------------------------------------------------

function isContinuous(axis) {
  return axis.scale === "linear" || axis.scale === "log";
}

function xScale(axis, width) {
  const common = { label: axis.name, labelAnchor: "center", labelArrow: "none" };
  if (isContinuous(axis)) return { ...common, ...ticksFor(axis, width) };
  const tickRotate = axis.values.length * 46 > width ? -35 : 0;
  return { ...common, type: "point", domain: axis.values.map(axisLabel), tickRotate };
}

function ticksFor(axis, width) {
  const most = Math.max(3, width / 70);
  if (axis.scale === "linear") return { type: "linear", ticks: most, tickFormat: (value) => showNumber(value) };
  const [low, high] = d3.extent(axis.values).map(Math.log10);
  const step = Math.ceil((high - low) / most);
  const powers = d3.range(Math.ceil(low - 1e-9), high + 1e-9, step);
  const ticks = powers.map((power) => Number(`1e${power}`));
  return { type: "log", ticks, tickFormat: (value) => showNumber(value) };
}

function curve(grid, rows, shown, width) {
  const [axis] = grid.axes;
  const value = (row) => row.values[axis.name];
  const x = isContinuous(axis) ? value : (row) => axisLabel(value(row));
  const used = rows.filter((row) => shown.includes(row.estimator));
  const title = (row) => `${axis.name} = ${showValue(value(row))}\n${tipText(row)}`;
  return plot({
    width,
    height: 266,
    marginLeft: 56,
    marginRight: 16,
    marginTop: 26,
    marginBottom: 44,
    x: xScale(axis, width - 72),
    y: scoreAxis({ ticks: 5, labelAnchor: "top" }),
    r: { type: "identity" },
    marks: [
      ...thetaMark(used.find((row) => row.chosen), x, "5 3", null),
      ...thetaMark(used.find((row) => row.simple), x, "1 3", "1 s.e."),
      keptMark(used, x),
      ...shown.flatMap((name) => series(rows, name, x, axis.scale !== "category")),
      Plot.tip(used, Plot.pointer({ x, y: "score", title })),
    ],
  });
}

// A dot at the bottom for each θ that cannot be told from the best.
function keptMark(rows, x) {
  const [first] = rows;
  const kept = rows.filter((row) => row.kept && row.estimator === first.estimator);
  return Plot.text(kept, { x, text: () => "•", frameAnchor: "bottom", fill: "var(--ink)", fontSize: 16, dy: 4 });
}

// A vertical line at a θ, named where it is not the selected one.
function thetaMark(row, x, strokeDasharray, name) {
  if (!row) return [];
  const line = Plot.ruleX([row], { x, stroke: "currentColor", strokeOpacity: 0.5, strokeDasharray });
  const label = { x, text: () => name, frameAnchor: "top", textAnchor: "start", dx: 4, fill: "var(--soft)" };
  return name ? [line, Plot.text([row], label)] : [line];
}

function series(all, name, x, line) {
  const rows = all.filter((row) => row.estimator === name);
  const stroke = seriesColour(name);
  const dashed = data.words.estimators[name]?.role === "apparent" ? "5 3" : null;
  const dots = { x, y: "score", r: (row) => (row.chosen ? 5 : 2.6), fill: stroke, stroke: "var(--sheet)" };
  return [
    name === data.selection.by ? band(rows, x, stroke, line) : null,
    line ? Plot.lineY(rows, { x, y: "score", stroke, strokeWidth: 1.8, strokeDasharray: dashed }) : null,
    Plot.dot(rows, dots),
  ];
}

function band(all, x, colour, line) {
  const rows = all.filter((row) => isNumber(row.score_low));
  const ends = { x, y1: "score_low", y2: "score_high" };
  if (line) return Plot.areaY(rows, { ...ends, fill: colour, fillOpacity: 0.14 });
  return Plot.ruleX(rows, { ...ends, stroke: colour, strokeOpacity: 0.35, strokeWidth: 5 });
}

// --- a card per learner ---------------------------------------------------------------------

const DRAW = { curve, heat, scatter, slice };

// Of more than two hyper-parameters two, where the others have their selected values.
function slice(grid, rows, shown, width) {
  const inside = (row) => Object.entries(grid.at).every(([name, value]) => sameValue(row.values[name], value));
  return heat(grid, rows.filter(inside), shown, width);
}

// One row per θ, one column per estimator.
function wideRows(rows) {
  return [...groupBy(rows, "theta").values()].map((group) => ({
    ...group[0],
    scores: Object.fromEntries(group.map((row) => [row.estimator, row.score])),
  }));
}

function gridTable(grid, rows) {
  const names = data.estimators.filter((name) => rows.some((row) => row.estimator === name));
  const axes = grid.axes.map(({ name, values }) => ({
    title: name,
    number: values.every(isNumber),
    value: (row) => row.values[name],
    show: showValue,
  }));
  const estimates = names.map((name) => ({
    title: estimatorTitle(name),
    number: true,
    value: (row) => row.scores[name],
    show: (value) => showRisk(value),
  }));
  const kept = { title: "Like the best", value: (row) => row.kept, show: showTruth };
  const csv = { columns: data.tables.risks.columns, rows };
  return buildTable([...axes, ...estimates, ...(keptThetas.size > 0 ? [kept] : [])], wideRows(rows), {
    name: `risks-${grid.learner}`,
    marked: (row) => row.chosen,
    csv,
  });
}

function gridFigure(grid, rows, shown) {
  const simple = grid.one_se && !isAt(grid.one_se, grid, grid.selected);
  const also = simple ? ` Within one standard error: ${showTheta(grid.one_se)}.` : "";
  const selected = grid.selected ? `Selected: ${showTheta(grid.selected)}.${also}` : "";
  const axes = grid.drawn.map((axis) => axis.name).join(" and ");
  const at = grid.kind === "slice" ? ` Drawn at ${showTheta(grid.at)}.` : "";
  return figure({
    name: `risks-${grid.learner}`,
    title: grid.learner,
    note: grid.kind === "curve" ? selected : `${estimatorTitle(shown[0])}. ${selected}${at}`,
    label: `${data.loss.title} of ${grid.learner} versus ${axes}. ${selected}${at}`,
    columns: data.tables.risks.columns,
    rows,
    draw: (width) => DRAW[grid.kind](grid, rows, shown, width),
  });
}

function gridCard(grid, shown) {
  const rows = gridRows(grid);
  const table = lazyTable(`All ${grid.thetas} θ`, () => gridTable(grid, rows));
  if (grid.kind === "table" || shown.length === 0) {
    return el("article", { class: "card" }, el("h3", {}, grid.learner), table);
  }
  const one = shown.includes(data.selection.by) ? [data.selection.by] : shown.slice(0, 1);
  const drawn = gridFigure(grid, rows, grid.kind === "curve" ? shown : one);
  return el("article", { class: "card" }, drawn, table);
}

function startGrids() {
  const names = data.estimators.filter((name) => unpack("risks").some((row) => row.estimator === name));
  const shown = new Set(names.filter((name) => USUAL.includes(name) || name === data.selection.by));
  const cards = el("div", { class: "cards" });
  let count = FIRST_GRIDS;
  const fill = () => {
    const visible = names.filter((name) => shown.has(name));
    swap(cards, ...data.grids.slice(0, count).map((grid) => gridCard(grid, visible)));
  };
  const showAll = (event) => {
    count = Infinity;
    event.target.remove();
    fill();
  };
  place("grids").append(legend(names, shown, fill), cards);
  if (data.grids.length > count) {
    const label = `Show all ${data.grids.length} learners`;
    place("grids").append(el("button", { type: "button", class: "quiet", onclick: showAll }, label));
  }
  fill();
}

function legend(names, shown, change) {
  const bar = el("div", { class: "legend", role: "group", "aria-label": "Estimators shown" });
  for (const name of names) {
    const swatch = el("span", { class: "swatch", style: `background: ${seriesColour(name)}` });
    const pressed = String(shown.has(name));
    const button = el("button", { type: "button", "aria-pressed": pressed }, swatch, estimatorTitle(name));
    button.addEventListener("click", () => {
      if (!shown.delete(name)) shown.add(name);
      button.setAttribute("aria-pressed", String(shown.has(name)));
      change();
    });
    bar.append(button);
  }
  return bar;
}
