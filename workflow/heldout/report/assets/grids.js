// Risk versus θ: a curve for one hyper-parameter, a map for two, a table always.

const risks = groupBy(unpack("risks"), "learner");
const FIRST_GRIDS = 12;
const USUAL = ["training", "holdout", "kfold"];

function axisLabel(value) {
  return clip(showValue(value), 16);
}

function isChosen(theta, grid) {
  return grid.selected !== null && grid.axes.every(({ name }) => sameValue(theta[name], grid.selected[name]));
}

function sameValue(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function gridRows(grid) {
  return risks.get(grid.learner).map((row) => {
    const theta = JSON.parse(row.theta);
    return { ...row, values: theta, chosen: isChosen(theta, grid) };
  });
}

// --- one hyper-parameter --------------------------------------------------------------------

function positions(axis) {
  if (axis.scale === "linear" || axis.scale === "log") return (row) => row.values[axis.name];
  return (row) => axisLabel(row.values[axis.name]);
}

function xScale(axis, width) {
  const common = { label: null };
  if (axis.scale === "log") return { ...common, type: "log", ticks: Math.max(3, width / 90), tickFormat: "~g" };
  if (axis.scale === "linear") return { ...common, ticks: Math.max(3, width / 70), tickFormat: "~g" };
  const crowded = axis.values.length * 46 > width;
  return { ...common, type: "point", domain: axis.values.map(axisLabel), tickRotate: crowded ? -35 : 0 };
}

function curve(grid, rows, shown, width) {
  const [axis] = grid.axes;
  const x = positions(axis);
  const line = axis.scale !== "category";
  const marks = [Plot.ruleX(rows.filter((row) => row.chosen).slice(0, 1), { x, stroke: "currentColor", strokeOpacity: 0.35, strokeDasharray: "2 3" })];
  for (const name of shown) marks.push(...series(rows.filter((row) => row.estimator === name), name, x, line));
  const used = rows.filter((row) => shown.includes(row.estimator));
  marks.push(Plot.tip(used, Plot.pointer({ x, y: "risk", title: (row) => `${axis.name} = ${showValue(row.values[axis.name])}\n${tipText(row)}` })));
  return plot({
    width,
    height: 250,
    marginLeft: 54,
    marginRight: 16,
    marginBottom: 44,
    x: { ...xScale(axis, width - 70), label: axis.name, labelAnchor: "center", labelArrow: "none" },
    y: riskAxis({ ticks: 5, labelArrow: "none" }),
    marks,
  });
}

function series(rows, name, x, line) {
  const stroke = seriesColour(name);
  const marks = [];
  const band = rows.filter((row) => isNumber(row.ci_low));
  if (name === data.selection.by && band.length > 0) {
    marks.push(line
      ? Plot.areaY(band, { x, y1: "ci_low", y2: "ci_high", fill: stroke, fillOpacity: 0.14 })
      : Plot.ruleX(band, { x, y1: "ci_low", y2: "ci_high", stroke, strokeOpacity: 0.35, strokeWidth: 5 }));
  }
  const dashed = data.words.estimators[name]?.role === "apparent" ? "5 3" : null;
  if (line) marks.push(Plot.lineY(rows, { x, y: "risk", stroke, strokeWidth: 1.8, strokeDasharray: dashed }));
  marks.push(Plot.dot(rows, { x, y: "risk", r: (row) => (row.chosen ? 5 : 2.6), fill: stroke, stroke: "var(--paper)", strokeWidth: 0.8 }));
  return marks;
}

// --- two hyper-parameters -------------------------------------------------------------------

function heat(grid, rows, [estimator], width) {
  const [a, b] = grid.axes;
  const [across, up] = a.values.length >= b.values.length ? [a, b] : [b, a];
  const used = rows.filter((row) => row.estimator === estimator);
  const band = (axis) => ({ type: "band", domain: axis.values.map(axisLabel), label: axis.name, labelArrow: "none" });
  const x = (row) => axisLabel(row.values[across.name]);
  const y = (row) => axisLabel(row.values[up.name]);
  const cell = (width - 80) / across.values.length;
  const height = Math.max(120, 70 + up.values.length * Math.min(40, Math.max(20, cell * 0.7)));
  const title = (row) => `${showTheta(row.values)}\n${tipText(row)}`;
  const marks = [
    Plot.cell(used, { x, y, fill: "risk", inset: 0.5 }),
    Plot.cell(used.filter((row) => row.chosen), { x, y, stroke: "currentColor", strokeWidth: 2.5, inset: 0 }),
  ];
  if (cell > 46) marks.push(Plot.text(used, { x, y, text: (row) => showRisk(row.risk).replace(" %", ""), fill: "var(--on-map)", fontSize: 10.5 }));
  marks.push(Plot.tip(used, Plot.pointer({ x, y, title })));
  return plot({
    width, height, marginLeft: leftMargin(up.values.map(axisLabel)) + 16, marginBottom: 46,
    x: { ...band(across), labelAnchor: "center", tickRotate: cell < 40 ? -45 : 0 },
    y: { ...band(up), reverse: up.scale !== "category", labelAnchor: "top" },
    color: { type: "linear", range: ["var(--map-low)", "var(--map-high)"], interpolate: mapColours() },
    marks,
  });
}

function mapColours() {
  return () => d3.interpolateRgbBasis(["#2f6f8f", "#7fb0bf", "#e9e4d4"]);
}

function scatter(grid, rows, [estimator], width) {
  const [a, b] = grid.axes;
  const used = rows.filter((row) => row.estimator === estimator);
  const at = (axis) => (row) => row.values[axis.name];
  const scale = (axis) => ({ type: axis.scale, label: axis.name, labelArrow: "none", tickFormat: "~g", grid: true, nice: true });
  const title = (row) => `${showTheta(row.values)}\n${tipText(row)}`;
  return plot({
    width, height: 280, marginLeft: 54, marginBottom: 44,
    x: { ...scale(a), labelAnchor: "center", ticks: width / 90 }, y: { ...scale(b), ticks: 5 },
    color: { type: "linear", interpolate: mapColours() },
    marks: [
      Plot.dot(used, { x: at(a), y: at(b), fill: "risk", r: 5, stroke: "currentColor", strokeOpacity: 0.4, strokeWidth: 0.6 }),
      Plot.dot(used.filter((row) => row.chosen), { x: at(a), y: at(b), r: 9, stroke: "currentColor", strokeWidth: 2 }),
      Plot.tip(used, Plot.pointer({ x: at(a), y: at(b), title })),
    ],
  });
}

// --- a card per learner ---------------------------------------------------------------------

const DRAW = { curve, heat, scatter };

function gridTable(grid, rows) {
  const axes = grid.axes.map(({ name }) => ({
    key: name, title: name, number: rows.every((row) => isNumber(row.values[name])), show: (_, row) => showValue(row.values[name]),
  }));
  const flat = wide(rows);
  const names = data.estimators.filter((name) => rows.some((row) => row.estimator === name));
  const columns = [...axes, ...names.map((name) => ({ key: name, title: estimatorTitle(name), number: true, show: (value) => showRisk(value) }))];
  return buildTable(columns, flat, { name: `${data.task}-${grid.learner}`, marked: (row) => row.chosen });
}

// One row per θ, one column per estimator.
function wide(rows) {
  return [...groupBy(rows, "theta").values()].map((group) => ({
    ...group[0].values, theta: group[0].theta,
    ...Object.fromEntries(group.map((row) => [row.estimator, row.risk])),
    values: group[0].values, chosen: group[0].chosen,
  }));
}

function gridFigure(grid, rows, shown) {
  const selected = grid.selected ? `Selected: ${showTheta(grid.selected)}.` : "";
  return figure({
    name: `${data.task}-${grid.learner}-risks`,
    title: grid.learner,
    note: grid.kind === "curve" ? selected : `${estimatorTitle(shown[0])}. ${selected}`,
    label: `Risk of ${grid.learner} versus ${grid.axes.map((axis) => axis.name).join(" and ")}`,
    columns: data.tables.risks.columns,
    rows,
    draw: (width) => DRAW[grid.kind](grid, rows, shown, width),
  });
}

function gridCard(grid, shown) {
  const rows = gridRows(grid);
  const table = lazyTable(`All ${grid.thetas} θ`, () => gridTable(grid, rows));
  if (grid.kind === "table") return el("article", { class: "card" }, el("h3", {}, grid.learner), table);
  const one = shown.includes(data.selection.by) ? [data.selection.by] : shown.slice(0, 1);
  return el("article", { class: "card" }, gridFigure(grid, rows, grid.kind === "curve" ? shown : one), table);
}

function startGrids() {
  const holder = place("grids");
  if (!holder) return;
  const names = data.estimators.filter((name) => unpackNames("risks").has(name));
  const shown = new Set(names.filter((name) => USUAL.includes(name) || name === data.selection.by));
  const cards = el("div", { class: "cards" });
  let count = FIRST_GRIDS;
  const fill = () => swap(cards, ...data.grids.slice(0, count).map((grid) => gridCard(grid, names.filter((name) => shown.has(name)))));
  holder.append(legend(names, shown, fill), cards);
  if (data.grids.length > count) {
    const label = `Show all ${data.grids.length} learners`;
    holder.append(el("button", { type: "button", class: "quiet", onclick: (event) => { count = Infinity; event.target.remove(); fill(); } }, label));
  }
  fill();
}

function unpackNames(table) {
  return new Set(unpack(table).map((row) => row.estimator));
}

function legend(names, shown, change) {
  const bar = el("div", { class: "legend", role: "group", "aria-label": "Estimators shown" });
  for (const name of names) {
    const swatch = el("span", { class: "swatch", style: `background: ${seriesColour(name)}` });
    const button = el("button", { type: "button", "aria-pressed": String(shown.has(name)) }, swatch, estimatorTitle(name));
    button.addEventListener("click", () => {
      if (!shown.delete(name)) shown.add(name);
      button.setAttribute("aria-pressed", String(shown.has(name)));
      change();
    });
    bar.append(button);
  }
  return bar;
}
