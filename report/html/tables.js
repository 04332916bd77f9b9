// Tables: sorted by a heading, in pages, and without the rows that a search leaves out. The
// URL has the order and the page of each: "-memory/3" is by memory downwards, page 3.
const pageRows = 25;
const allTables = [];
const headsOf = (table) => [...table.tHead.rows[0].cells];

const enhance = (table) => {
  const body = table.tBodies[0];
  const heads = headsOf(table);
  const titles = heads.map((h, i) => english(h) + (heads.slice(0, i).some((o) => english(o) === english(h)) ? i : ""));
  const box = table.parentElement;
  const given = [...body.rows];
  const self = { table, rows: given, order: "", page: 0, scrolls: false };
  const pager = make("div", { class: "pager", role: "group" });
  const fit = () => {
    const fits = table.scrollWidth <= box.clientWidth + 1;
    self.scrolls = !fits || innerWidth <= 1000;
    box.classList.toggle("fits", fits);
  };
  const turnTo = (order, page) => go({ key: state.key, to: state.to, [table.id]: order + (page > 0 ? "/" + (page + 1) : "") });
  self.draw = () => {
    const rows = self.rows.filter((row) => !row.classList.contains("off"));
    const page = Math.max(0, Math.min(self.page, Math.ceil(rows.length / pageRows) - 1));
    const [from, to] = [page * pageRows, (page + 1) * pageRows];
    rows.forEach((row, i) => row.classList.toggle("later", i < from || i >= to));
    const most = rows.length > pageRows || rows.length < self.rows.length;
    pager.hidden = !most;
    pager.ariaLabel = say("Pages");
    const focused = pager.contains(document.activeElement) && document.activeElement.textContent;
    const turn = (label, by, able) => {
      const button = make("button", { type: "button", "aria-label": label, disabled: able ? null : "" }, by < 0 ? "‹" : "›");
      button.addEventListener("click", () => turnTo(self.order, page + by));
      return button;
    };
    if (most) {
      const shown = rows.length ? `${count(from + 1)}–${count(Math.min(to, rows.length))}` : "0";
      pager.replaceChildren(turn(say("Earlier rows"), -1, page > 0), make("span", {}, `${shown} / ${count(rows.length)}`), turn(say("Later rows"), 1, to < rows.length));
      if (focused) ($$("button:not([disabled])", pager).find((b) => b.textContent === focused) ?? $("button:not([disabled])", pager))?.focus();
    }
    fit();
  };
  const sort = (order) => {
    const column = titles.indexOf(order.replace(/^-/, ""));
    const sign = order.startsWith("-") ? -1 : 1;
    self.order = order;
    self.rows = given;
    if (column >= 0) {
      const number = heads[column].classList.contains("n");
      const value = (row) => number ? figureOf(english(row.cells[column])) : row.cells[column].textContent;
      const rows = given.map((row) => [value(row), row]);
      rows.sort(([a], [b]) => (number ? a - b : a < b ? -1 : a > b ? 1 : 0) * sign);
      self.rows = rows.map(([, row]) => row);
    }
    body.append(...self.rows);
    heads.forEach((h, i) => i === column ? h.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
  };
  if (given.length > 1) heads.forEach((head, column) => {
    if (!head.textContent) return;
    const button = make("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      turnTo(((now ? now === "ascending" : head.classList.contains("n")) ? "-" : "") + titles[column], 0);
    });
  });
  box.after(pager);
  new ResizeObserver(fit).observe(box);
  self.show = (address) => {
    const at = address.lastIndexOf("/");
    const order = at < 0 ? address : address.slice(0, at);
    if (order !== self.order) sort(order);
    self.page = at < 0 ? 0 : Number(address.slice(at + 1)) - 1 || 0;
    self.draw();
  };
  self.search = (words) => {
    const owner = heads.findIndex((h) => english(h) === "owner");
    for (const row of self.rows) row.classList.toggle("off", !words.names.every((w) => row.textContent.toLowerCase().includes(w)) || !isOwner(row.cells[owner]?.textContent ?? null, words.owners));
    self.draw();
  };
  allTables.push(self);
};
$$(".scroll > table").forEach(enhance);

// Where a table is wider than its box, which scrolls then, headings move with the page.
addEventListener("scroll", () => {
  const top = $("#bar").offsetHeight;
  for (const { table, scrolls } of allTables) {
    const { top: above, height } = scrolls ? table.getBoundingClientRect() : { top: top, height: 0 };
    const y = Math.max(0, Math.min(top - above, height - 60));
    table.tHead.style.transform = y ? `translateY(${y}px)` : "";
  }
}, { passive: true });

// The keys and groups that tables have, by the words of their columns.
const rowsOf = (id) => {
  const table = document.getElementById(id);
  if (!table) return [];
  const heads = headsOf(table).map((h) => english(h));
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
  for (const t of allTables) if (again || state[t.table.id] !== before[t.table.id]) t.show(state[t.table.id] ?? "");
  if ((state.q ?? "") === (before.q ?? "") && !again) return;
  const words = wordsOf(state.q);
  for (const t of allTables) if (["keys-table", "groups-table", "savings-table"].includes(t.table.id)) t.search(words);
});
