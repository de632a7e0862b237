// The data of the page, and small helpers. Text only ever enters the page as text nodes.

const data = JSON.parse(document.getElementById("data").textContent);

const ABSENT = "–";
const PERCENT = "\u00a0%";

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function place(id) {
  return document.getElementById(id);
}

// --- numbers --------------------------------------------------------------------------------

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

// A risk or a score, as the loss of the page (or another format) has it.
function showRisk(value, format = data.format) {
  if (!isNumber(value)) return ABSENT;
  const { percent, scientific, decimals } = format;
  if (scientific) return value.toExponential(3);
  const text = (percent ? 100 * value : value).toFixed(decimals);
  const signed = Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  return percent ? signed + PERCENT : signed;
}

function showNumber(value, digits = 4) {
  if (value === null || value === undefined) return ABSENT;
  if (!isNumber(value)) return String(value);
  if (Number.isInteger(value)) return String(value).replace("-", "−");
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  const plain = size >= 1e6 || size < 1e-4 ? rounded.toExponential() : String(rounded);
  return plain.replace(/^-/, "−");
}

// The same decimals for a whole column: four significant digits of a typical value.
function columnFormat(values) {
  const sizes = values.filter((value) => isNumber(value) && value !== 0).map(Math.abs);
  if (sizes.length === 0 || values.every((value) => !isNumber(value) || Number.isInteger(value))) {
    return (value) => showNumber(value);
  }
  const order = Math.floor(Math.log10(d3.median(sizes)));
  if (order < -4 || order > 7) return (value) => showNumber(value);
  const decimals = Math.min(5, Math.max(0, 3 - order));
  return (value) => (isNumber(value) ? value.toFixed(decimals).replace("-", "−") : showNumber(value));
}

function showShare(value, decimals = 1) {
  return isNumber(value) ? (100 * value).toFixed(decimals) + PERCENT : ABSENT;
}

function showInterval(low, high, format = data.format) {
  if (!isNumber(low) || !isNumber(high)) return ABSENT;
  return `${showRisk(low, format).replace(PERCENT, "")} to ${showRisk(high, format)}`;
}

function showTruth(value) {
  return value === null || value === undefined ? ABSENT : value ? "yes" : "no";
}

function showValue(value) {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return `{${value.map(showValue).join(", ")}}`;
  if (typeof value === "object") return JSON.stringify(value);
  return showNumber(value);
}

function showTheta(theta) {
  const entries = Object.entries(typeof theta === "string" ? JSON.parse(theta) : (theta ?? {}));
  return entries.map(([key, value]) => `${key}\u00a0=\u00a0${showValue(value)}`).join(", ") || ABSENT;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function clip(text, length = 28) {
  const letters = [...String(text)];
  return letters.length > length ? letters.slice(0, length - 1).join("") + "…" : String(text);
}

// --- names ----------------------------------------------------------------------------------

function estimatorTitle(name) {
  return data.words.estimators[name]?.title ?? name;
}

function intervalTitle(name) {
  return name ? (data.words.intervals[name]?.title ?? name) : ABSENT;
}

function learnerTitle(name) {
  return name === "all" ? "all learners together" : name;
}

function explained(kind, name, title) {
  return el("a", { href: `#${kind}-${name}`, class: "term" }, title);
}

// `A_θ(S)` with a real subscript.
function formula(text) {
  const parts = text.split(/_(?:\{([^{}]*)\}|([A-Za-zθΘ]\u0302?)(?![A-Za-z0-9]))/);
  const node = el("span");
  for (let i = 0; i < parts.length; i += 3) {
    const below = parts[i + 1] ?? parts[i + 2];
    node.append(parts[i]);
    if (below !== undefined) node.append(el("sub", {}, below));
  }
  return node;
}

// --- data -----------------------------------------------------------------------------------

// Tables travel column by column, texts as numbers of their levels.
function rowsOf(table) {
  const columns = table.values.map((column) =>
    column.codes ? column.codes.map((code) => column.levels[code]) : column,
  );
  return (columns[0] ?? []).map((_, i) =>
    Object.fromEntries(table.columns.map((key, j) => [key, columns[j][i]])),
  );
}

// A risk as people read it: optimum − risk where greater is better.
function score(risk) {
  return data.loss.greater && isNumber(risk) ? data.loss.optimum - risk : risk;
}

// Rows keep the exact columns of their file; what is shown are these further ones.
function scored(row) {
  if (!("risk" in row) || "score" in row) return row;
  const [low, high] = data.loss.greater ? [row.ci_high, row.ci_low] : [row.ci_low, row.ci_high];
  return { ...row, score: score(row.risk), score_low: score(low), score_high: score(high) };
}

// A text about the risk, where people read another number.
function inWords(text) {
  return data.loss.greater ? text.replaceAll(/\brisk\b/g, data.loss.label) : text;
}

const unpacked = new Map();

function unpack(name) {
  if (!data?.tables[name]) return [];
  if (!unpacked.has(name)) unpacked.set(name, rowsOf(data.tables[name]).map(scored));
  return unpacked.get(name);
}

function groupBy(rows, key) {
  const groups = new Map();
  for (const row of rows) {
    if (!groups.has(row[key])) groups.set(row[key], []);
    groups.get(row[key]).push(row);
  }
  return groups;
}

function csvText(columns, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
}

function download(name, columns, rows) {
  const blob = new Blob([csvText(columns, rows)], { type: "text/csv;charset=utf-8" });
  const link = el("a", { href: URL.createObjectURL(blob), download: `${name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function csvButton(name, columns, rows) {
  const save = () => download(`${data.task}-${name}`, columns, rows());
  const label = `Save the data of “${name}” as CSV`;
  return el("button", { type: "button", class: "quiet", "aria-label": label, onclick: save }, "CSV");
}

// --- controls -------------------------------------------------------------------------------

function chooser(label, options, value, onchange) {
  const select = el("select", { onchange: (event) => onchange(event.target.value) });
  for (const [name, title] of options) {
    const selected = name === value ? "" : null;
    select.append(el("option", { value: name, selected }, clip(title, 60)));
  }
  return el("label", { class: "chooser" }, el("span", {}, label), select);
}

function themeToggle(button) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const label = () => {
    button.textContent = dark() ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    label();
  });
  system.addEventListener("change", label);
  button.hidden = false;
  label();
}
