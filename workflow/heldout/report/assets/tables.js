// Tables: those in the page become sortable, others are built here from the data.

function sortKey(cell) {
  const raw = cell.dataset.value;
  if (raw === undefined) return cell.textContent.trim().toLowerCase();
  return raw === "" ? null : Number(raw);
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sortBy(table, column, direction) {
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => [sortKey(row.cells[column]), row]);
  // Empty cells stay at the end, whichever the direction.
  keyed.sort(([a], [b]) => (a === null || b === null ? 1 : direction) * compare(a, b));
  body.append(...keyed.map(([, row]) => row));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = el("button", { type: "button", class: "sorter" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
      sortBy(table, column, direction);
    });
  });
}

// A column is {title, key or value(row), show?(value, row), number?}; `show` gives a text or a node.
function tableCell(row, column) {
  const value = column.value ? column.value(row) : row[column.key];
  const shown = column.show ? column.show(value, row) : showNumber(value);
  if (!column.number) return el("td", { class: column.class }, shown);
  return el("td", { class: "number", "data-value": value ?? "" }, shown);
}

const FIRST_ROWS = 200;

function buildTable(columns, rows, { name, marked = () => false, csv = null }) {
  const head = el("tr", {});
  for (const column of columns) {
    head.append(el("th", { scope: "col", class: column.number ? "number" : null }, column.title));
  }
  const body = el("tbody");
  const add = (part) => {
    for (const row of part) {
      const line = el("tr", { class: marked(row) ? "marked" : null });
      line.append(...columns.map((column) => tableCell(row, column)));
      body.append(line);
    }
  };
  add(rows.slice(0, FIRST_ROWS));
  const table = el("table", {}, el("thead", {}, head), body);
  makeSortable(table);
  const keys = csv?.columns ?? columns.map((column) => column.key);
  const foot = el("div", { class: "under" }, csvButton(name, keys, () => csv?.rows ?? rows));
  if (rows.length > FIRST_ROWS) foot.prepend(moreButton(rows, add));
  const frame = { class: "scroll", role: "group", "aria-label": "Table", tabindex: "0" };
  return el("div", {}, el("div", frame, table), foot);
}

function moreButton(rows, add) {
  const label = `Show all ${rows.length} rows`;
  return el(
    "button",
    {
      type: "button",
      class: "quiet",
      onclick: (event) => {
        add(rows.slice(FIRST_ROWS));
        event.target.remove();
      },
    },
    label,
  );
}

// A closed <details> whose table is built when it is first opened.
function lazyTable(title, build) {
  const details = el("details", {}, el("summary", {}, title));
  details.addEventListener("toggle", () => details.childElementCount === 1 && details.append(build()));
  return details;
}
