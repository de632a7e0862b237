// Two hyper-parameters: a map of the scores. Strong colour means a small risk, whichever way scores go.

// The worst tenth shares the palest shade, so that one hopeless θ does not hide all differences.
function strength(rows) {
  const values = rows.map((row) => row.risk).filter(isNumber);
  const [low, high] = [d3.min(values), d3.quantile(values, 0.9)];
  const scale = d3.scaleLinear().domain([low, high]).range([0.92, 0.06]).clamp(true);
  return (row) => (low === high ? 0.5 : scale(row.risk));
}

function mapTip(used, x, y) {
  const title = (row) => `${showTheta(row.values)}\n${tipText(row)}`;
  return Plot.tip(used, Plot.pointer({ x, y, title }));
}

function heat(grid, rows, [estimator], width) {
  const [a, b] = grid.drawn;
  const [across, up] = a.values.length >= b.values.length ? [a, b] : [b, a];
  const used = rows.filter((row) => row.estimator === estimator);
  const x = (row) => axisLabel(row.values[across.name]);
  const y = (row) => axisLabel(row.values[up.name]);
  const room = labelRoom(up.values.map(axisLabel), width);
  const side = room.marginLeft + 8;
  const cell = (width - side - 10) / across.values.length;
  const tall = Math.min(36, Math.max(20, cell * 0.7));
  return plot({
    width,
    height: 78 + up.values.length * tall,
    marginLeft: side,
    marginRight: 10,
    marginTop: 26,
    marginBottom: 50,
    x: { ...bandScale(across), labelAnchor: "center", tickRotate: cell < 42 ? -40 : 0 },
    y: { ...bandScale(up), reverse: up.scale !== "category", labelAnchor: "top" },
    opacity: { type: "identity" },
    marks: [
      Plot.cell(used, { x, y, fill: "var(--blue)", fillOpacity: strength(used), inset: 0.5 }),
      Plot.cell(used.filter((row) => row.chosen), { x, y, stroke: "var(--ink)", strokeWidth: 2.5 }),
      Plot.cell(used.filter((row) => row.simple), { x, y, stroke: "var(--ink)", strokeDasharray: "2 2" }),
      cell > 44 ? mapNumbers(used, x, y) : null,
      mapTip(used, x, y),
    ],
  });
}

function bandScale(axis) {
  const domain = axis.values.map(axisLabel);
  return { type: "band", domain, label: axis.name, labelArrow: "none", tickSize: 0 };
}

function mapNumbers(used, x, y) {
  const shade = strength(used);
  const fill = (row) => (shade(row) > 0.6 ? "var(--sheet)" : "var(--ink)");
  const text = (row) => showRisk(row.score).replace(PERCENT, "");
  return Plot.text(used, { x, y, text, fill, fontSize: 11 });
}

function scatter(grid, rows, [estimator], width) {
  const [a, b] = grid.drawn;
  const used = rows.filter((row) => row.estimator === estimator);
  const x = (row) => row.values[a.name];
  const y = (row) => row.values[b.name];
  const scale = (axis, room) => ({ ...ticksFor(axis, room), label: axis.name, labelArrow: "none", grid: true });
  return plot({
    width,
    height: 280,
    marginLeft: 54,
    marginBottom: 44,
    x: { ...scale(a, width - 70), labelAnchor: "center" },
    y: { ...scale(b, 350), labelAnchor: "top" },
    opacity: { type: "identity" },
    marks: [
      Plot.dot(used, { x, y, r: 6, fill: "var(--blue)", fillOpacity: strength(used), stroke: "var(--blue)" }),
      Plot.dot(used.filter((row) => row.chosen), { x, y, r: 10, stroke: "var(--ink)", strokeWidth: 2 }),
      mapTip(used, x, y),
    ],
  });
}
