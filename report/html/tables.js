// Tables: sorted by a heading, in pages, and without the rows that a search leaves out.
const pageRows = 25;
const allTables = [];

const enhance = (table) => {
  const body = table.tBodies[0];
  const heads = $$("th", table);
  const box = table.parentElement;
  const self = { table, page: 0, rows: [...body.rows] };
  const pager = make("div", { class: "pager", role: "group" });
  const fit = () => { box.classList.toggle("fits", table.scrollWidth <= box.clientWidth + 1); };
  const draw = () => {
    const rows = self.rows.filter((row) => !row.classList.contains("off"));
    self.page = Math.max(0, Math.min(self.page, Math.ceil(rows.length / pageRows) - 1));
    const [from, to] = [self.page * pageRows, (self.page + 1) * pageRows];
    rows.forEach((row, i) => row.classList.toggle("later", i < from || i >= to));
    const turn = (label, by, able) => {
      const button = make("button", { type: "button", "aria-label": label, disabled: able ? null : "" }, by < 0 ? "‹" : "›");
      button.addEventListener("click", () => {
        self.page += by;
        draw();
        ($("button:not([disabled])" + (by > 0 ? ":last-child" : ""), pager) ?? $("button:not([disabled])", pager))?.focus();
      });
      return button;
    };
    const most = rows.length > pageRows || rows.length < self.rows.length;
    pager.hidden = !most;
    pager.ariaLabel = say("Pages");
    if (most) {
      const shown = rows.length ? `${count(from + 1)}–${count(Math.min(to, rows.length))}` : "0";
      pager.replaceChildren(turn(say("Earlier rows"), -1, self.page > 0), make("span", {}, `${shown} / ${count(rows.length)}`), turn(say("Later rows"), 1, to < rows.length));
    }
    fit();
  };
  const sort = (column, descending) => {
    const number = heads[column].classList.contains("n");
    const value = (row) => number ? figureOf(english(row.cells[column])) : row.cells[column].textContent;
    const rows = self.rows.map((row) => [value(row), row]);
    rows.sort(([a], [b]) => (number ? a - b : a < b ? -1 : a > b ? 1 : 0) * (descending ? -1 : 1));
    self.rows = rows.map(([, row]) => row);
    body.append(...self.rows);
    heads.forEach((h, i) => i === column ? h.setAttribute("aria-sort", descending ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    self.page = 0;
    draw();
  };
  if (table.classList.contains("sortable")) heads.forEach((head, column) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sort(column, now ? now === "ascending" : head.classList.contains("n"));
    });
  });
  box.after(pager);
  new ResizeObserver(fit).observe(box);
  self.draw = draw;
  self.search = (words) => {
    for (const row of self.rows) row.classList.toggle("off", words.length > 0 && !words.every((w) => row.textContent.toLowerCase().includes(w)));
    self.page = 0;
    draw();
  };
  allTables.push(self);
};
$$(".scroll > table").forEach(enhance);

// Where a table is wider than its box, which scrolls then, headings move with the page.
addEventListener("scroll", () => {
  const top = $("#bar").offsetHeight;
  for (const { table } of allTables) {
    if (getComputedStyle(table.parentElement).overflowX === "visible") { table.tHead.style.transform = ""; continue; }
    const { top: above, height } = table.getBoundingClientRect();
    const y = Math.max(0, Math.min(top - above, height - 60));
    table.tHead.style.transform = y ? `translateY(${y}px)` : "";
  }
}, { passive: true });

// The keys and groups that tables have, by the words of their columns.
const rowsOf = (id) => {
  const table = document.getElementById(id);
  if (!table) return [];
  const heads = $$("th", table).map((h) => english(h));
  return [...table.tBodies[0].rows].map((row) => {
    const cells = Object.fromEntries(heads.map((h, i) => [h, row.cells[i]]));
    return { row, heads, cells, name: row.cells[0].textContent, size: figureOf(english(cells.memory ?? cells.value)) };
  });
};
const keyRows = rowsOf("keys-table");
const groupRows = rowsOf("groups-table");

// Names of tables lead to what the page has about them.
const link = (cell, address) => cell.replaceChildren(make("a", { href: address }, ...cell.childNodes));
const known = new Map(keyRows.map((k) => [k.name, k]));
for (const k of keyRows) link(k.row.cells[0], "#" + new URLSearchParams({ key: k.name }));
if (data.tree) for (const g of groupRows) link(g.row.cells[0], "#" + new URLSearchParams({ at: g.name }));
for (const cell of $$("details td.name:first-child")) if (known.has(cell.textContent)) link(cell, "#" + new URLSearchParams({ key: cell.textContent }));

views.push((before, again) => {
  if (again) allTables.forEach((t) => t.draw());
  if ((state.q ?? "") === (before.q ?? "") && !again) return;
  const words = (state.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  for (const t of allTables) if (["keys-table", "groups-table", "savings-table"].includes(t.table.id)) t.search(words);
});
