// The data of the page, and small helpers. Text only ever enters the page as text nodes.

const data = JSON.parse(document.getElementById("data").textContent);

const ABSENT = "–";

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

// --- numbers --------------------------------------------------------------------------------

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

function showRisk(value, decimals = data.format.decimals) {
  if (!isNumber(value)) return ABSENT;
  const { percent, scientific } = data.format;
  if (scientific) return value.toExponential(3);
  const text = (percent ? 100 * value : value).toFixed(decimals);
  const signed = Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  return percent ? `${signed} %` : signed;
}

function showNumber(value, digits = 4) {
  if (!isNumber(value)) return value === null || value === undefined ? ABSENT : String(value);
  if (Number.isInteger(value)) return String(value).replace("-", "−");
  const text = Number(value.toPrecision(digits));
  const size = Math.abs(text);
  const plain = size >= 1e6 || size < 1e-4 ? text.toExponential() : String(text);
  return plain.replace(/^-/, "−");
}

function showInterval(low, high) {
  if (!isNumber(low) || !isNumber(high)) return ABSENT;
  return `${showRisk(low).replace(" %", "")} to ${showRisk(high)}`;
}

function showValue(value) {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return `{${value.join(", ")}}`;
  return isNumber(value) ? showNumber(value) : String(value);
}

function showTheta(theta) {
  const entries = Object.entries(typeof theta === "string" ? JSON.parse(theta) : theta);
  return entries.map(([key, value]) => `${key} = ${showValue(value)}`).join(", ") || ABSENT;
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

// --- data -----------------------------------------------------------------------------------

function unpack(name) {
  const table = data.tables[name];
  if (!table) return [];
  return table.rows.map((row) => Object.fromEntries(table.columns.map((key, i) => [key, row[i]])));
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
  return el(
    "button",
    { type: "button", class: "quiet", onclick: () => download(name, columns, rows()) },
    "CSV",
  );
}

// --- controls -------------------------------------------------------------------------------

function chooser(label, options, value, onchange) {
  const select = el("select", { onchange: (event) => onchange(event.target.value) });
  for (const [name, title] of options) {
    select.append(el("option", { value: name, selected: name === value ? "" : null }, clip(title, 60)));
  }
  return el("label", { class: "chooser" }, el("span", {}, label), select);
}

function place(id) {
  return document.getElementById(id);
}

function themeToggle(button) {
  const root = document.documentElement;
  const dark = () =>
    root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => (button.textContent = dark() ? "Light" : "Dark");
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    label();
  });
  label();
}
