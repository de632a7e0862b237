// Figures: a caption, a drawing that follows the width of the page, and its data as CSV.

const ROLE_COLOUR = {
  apparent: "var(--amber)",
  chosen: "var(--blue)",
  corrected: "var(--violet)",
  honest: "var(--green)",
  other: "var(--grey)",
};

const SERIES_COLOUR = {
  training: "var(--amber)",
  holdout: "var(--violet)",
  kfold: "var(--blue)",
  rolling: "var(--blue)",
  loo: "var(--teal)",
  montecarlo: "var(--rose)",
  kfold_adjusted: "var(--ink)",
  bootstrap: "var(--brown)",
  bootstrap_632: "var(--olive)",
  bootstrap_632plus: "var(--green)",
};

// For things that have no colour of their own: classes, choices.
const SERIES = ["blue", "amber", "teal", "rose", "violet", "olive", "brown", "green"].map(
  (name) => `var(--${name})`,
);

function roleColour(estimator) {
  return ROLE_COLOUR[data.words.estimators[estimator]?.role ?? "other"] ?? ROLE_COLOUR.other;
}

function seriesColour(estimator) {
  return SERIES_COLOUR[estimator] ?? "var(--grey)";
}

const drawings = [];

// `draw(width)` gives an svg; `columns` and `rows` are what the CSV button saves.
function figure({ name, title, note, label, draw, columns, rows }) {
  const canvas = el("div", { class: "canvas" });
  const caption = el("figcaption", {}, el("strong", {}, title), note ? el("span", {}, ` ${note}`) : null);
  const bar = el("div", { class: "figure-head" }, caption, csvButton(name, columns, () => rows));
  const node = el("figure", {}, bar, canvas);
  const paint = () => {
    const width = Math.floor(canvas.clientWidth);
    if (width < 60 || canvas.dataset.width === String(width)) return;
    canvas.dataset.width = String(width);
    const drawing = draw(width);
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", label ?? title);
    // Plot names its groups of marks, which needs a role.
    for (const group of drawing.querySelectorAll("g[aria-label]")) group.setAttribute("role", "group");
    canvas.replaceChildren(drawing);
  };
  drawings.push({ canvas, paint });
  return node;
}

function figureCard(options, ...below) {
  return el("article", { class: "card" }, figure(options), ...below);
}

function paintAll() {
  for (const { canvas, paint } of drawings) if (canvas.isConnected) paint();
}

const FEW = 40;

// A page with very many figures draws each when it comes near the screen.
function startPainting() {
  const eager = drawings.length <= FEW;
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) drawings.find(({ canvas }) => canvas === target)?.paint();
    }
  }, { rootMargin: "600px" });
  for (const { canvas } of drawings) seen.observe(canvas);
  if (eager) paintAll();
  let waiting;
  new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => drawings.length <= FEW && paintAll(), 100);
  }).observe(document.body);
  addEventListener("beforeprint", paintAll);
}

// Replaces what a place shows, and forgets the figures that were there.
function swap(holder, ...nodes) {
  for (let i = drawings.length - 1; i >= 0; i--) {
    if (holder.contains(drawings[i].canvas)) drawings.splice(i, 1);
  }
  holder.replaceChildren(...nodes);
  paintAll();
}

function scoreAxis(options = {}) {
  const { percent } = data.format;
  return {
    label: data.loss.axis,
    labelArrow: "none",
    grid: true,
    nice: true,
    percent,
    tickFormat: (value) => (percent ? minus(+value.toFixed(4)) + PERCENT : showNumber(value, 6)),
    ...options,
  };
}

const LETTER = 6.7;

// Room for labels at the left: at most a part of the width, and labels cut to what fits.
function labelRoom(labels, width, part = 0.36) {
  const most = Math.max(8, Math.floor((part * width) / LETTER));
  const longest = Math.max(1, ...labels.map((label) => [...String(label)].length));
  const length = Math.min(most, longest);
  return { marginLeft: 14 + LETTER * length, short: (label) => clip(label, length) };
}

// A chart with a line of 26 pixels for each label, below a head.
function linePlot({ domain, width, head, part, ...options }) {
  const room = labelRoom(domain, width, part);
  return plot({
    width,
    height: head + 26 * domain.length,
    marginLeft: room.marginLeft,
    marginTop: 6,
    y: { domain, label: null, tickFormat: room.short, tickSize: 0 },
    ...options,
  });
}

function minus(text) {
  return String(text).replace(/^-/, "−");
}

function plot(options) {
  return Plot.plot({
    style: { fontFamily: "inherit", fontSize: "12px", background: "none", overflow: "visible" },
    ...options,
  });
}
