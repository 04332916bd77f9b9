"use strict";
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const data = JSON.parse($("#data").textContent);
  let text = data.text;
  document.documentElement.classList.add("js");

  // Figures as in the rest of the report.
  const units = ["B", "KB", "MB", "GB", "TB", "PB"];
  const bytes = (n) => {
    let unit = 0;
    while (n >= 1023.5 && unit < units.length - 1) { n /= 1024; unit++; }
    const shown = unit > 0 && n < 99.95 ? n.toFixed(1).replace(/\.0$/, "") : count(Math.round(n));
    return shown + " " + units[unit];
  };
  const count = (n) => n.toLocaleString("en-US");
  const percent = (share) => share > 0 && share < 0.001 ? "<0.1%" : (share * 100).toFixed(1) + "%";

  // figure returns the number that a cell shows, of two the last: "3.8 MB", "1,024", "12.5%", "3d 4h", "1 -> 2".
  const figure = (cell) => {
    if (cell === "") return -Infinity;
    const scale = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40, PB: 2 ** 50, d: 86400, h: 3600, m: 60, s: 1 };
    let sum = 0;
    for (const [, number, unit] of cell.replace(/.* -> /, "").replaceAll(",", "").matchAll(/([\d.]+) ?([A-Za-z]*)/g)) sum += Number(number) * (scale[unit] ?? 1);
    return /^-| ago$/.test(cell) ? -sum : sum;
  };

  const element = (name, attributes = {}, ...children) => {
    const e = name === "svg" || svgNames.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const svgNames = new Set(["g", "rect", "text", "title", "clipPath"]);

  // Tables: sort by a heading, search by name, choose the measure.
  for (const table of $$("table.sortable")) {
    const body = table.tBodies[0];
    const heads = $$("th", table);
    const sort = (column, descending) => {
      const number = heads[column].classList.contains("n");
      const value = (row) => {
        const cell = $(".en", row.cells[column]) ?? row.cells[column];
        return number ? figure(cell.textContent) : cell.textContent;
      };
      const rows = [...body.rows].map((row) => [value(row), row]);
      rows.sort(([a], [b]) => (number ? a - b : a < b ? -1 : a > b ? 1 : 0) * (descending ? -1 : 1));
      body.append(...rows.map(([, row]) => row));
      heads.forEach((h, i) => i === column ? h.setAttribute("aria-sort", descending ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    };
    heads.forEach((head, column) => {
      const button = element("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        sort(column, now ? now === "ascending" : head.classList.contains("n"));
      });
    });
    const controls = document.getElementById(table.id + "-controls");
    if (!controls) continue;
    const search = $("input[type=search]", controls);
    const found = $("output", controls);
    search.addEventListener("input", () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of body.rows) {
        const hit = words.every((w) => row.textContent.toLowerCase().includes(w));
        row.hidden = !hit;
        if (hit) shown++;
      }
      found.textContent = words.length ? count(shown) + " / " + count(body.rows.length) : "";
    });
    const measure = $("select", controls);
    if (measure) measure.addEventListener("change", () => sort(Number(measure.value), true));
  }

  // Copy buttons of commands.
  for (const button of $$("button.copy")) {
    button.addEventListener("click", async () => {
      const command = $("pre", button.parentElement);
      const done = () => {
        const label = button.textContent;
        button.textContent = text.copied;
        setTimeout(() => { button.textContent = label; }, 1500);
      };
      try {
        await navigator.clipboard.writeText(command.textContent);
        done();
      } catch {
        // A page from a file may lack the permission: the selection serves.
        getSelection().selectAllChildren(command);
        if (document.execCommand("copy")) done();
      }
    });
  }

  // The other language: texts stand in both, attributes and options have the other one
  // beside them.
  let other = data.other;
  $("#language").addEventListener("click", ({ target }) => {
    for (const e of $$("[data-other]")) {
      const now = e.ariaLabel ?? e.textContent;
      if (e.ariaLabel === null) e.textContent = e.dataset.other;
      else e.ariaLabel = e.dataset.other;
      if (e.placeholder) e.placeholder = e.dataset.other;
      e.dataset.other = now;
    }
    [text, other] = [other, text];
    const chinese = document.documentElement.lang === "zh";
    document.documentElement.lang = chinese ? "en" : "zh";
    target.textContent = chinese ? "中文" : "English";
    if (data.groups.length) draw();
  });

  addEventListener("beforeprint", () => $$("details").forEach((d) => { d.open = true; }));

  // The treemap. A node is a segment of the names below its parent.
  // In a comparison, a group also has its sizes on both sides.
  const [NAME, KEYS, SIZE, NOTTL, FINDINGS, TYPE, BEFORE, NOW] = [0, 1, 2, 3, 4, 5, 6, 7];
  const measures = { size: SIZE, keys: KEYS, nottl: NOTTL, findings: FINDINGS };
  const root = { name: "", path: "", children: new Map(), sums: [0, 0, 0, 0, 0], types: {}, parent: null };
  const maxDepth = 16;
  const segments = (name) => {
    const parts = [];
    let from = 0;
    for (let i = 0; i < name.length && parts.length < maxDepth - 1; i++) {
      if (data.separators.includes(name[i]) && i + 1 < name.length) { parts.push(name.slice(from, i + 1)); from = i + 1; }
    }
    parts.push(name.slice(from));
    return parts;
  };
  const addTo = (node, g) => {
    for (let i = 1; i < 5; i++) node.sums[i] += g[i];
    node.types[g[TYPE]] = (node.types[g[TYPE]] || 0) + g[SIZE];
    for (const i of data.compared ? [BEFORE, NOW] : []) node.sums[i] = (node.sums[i] || 0) + g[i];
  };
  for (const g of data.groups) {
    let node = root;
    addTo(node, g);
    for (const s of segments(g[NAME])) {
      let child = node.children.get(s);
      if (!child) {
        child = { name: s, path: node.path + s, children: new Map(), sums: [0, 0, 0, 0, 0], types: {}, parent: node };
        node.children.set(s, child);
      }
      node = child;
      addTo(node, g);
    }
  }
  // A node with one child only is shown as one.
  const skip = (node) => {
    while (node.children.size === 1) {
      const only = node.children.values().next().value;
      if (only.sums[KEYS] !== node.sums[KEYS]) break;
      node = only;
    }
    return node;
  };
  // colorOf returns the class of a cell: by type, or by growth in a comparison.
  const colorOf = (node) => data.compared ? growthOf(node) : typeOf(node);
  const growthOf = (node) => {
    const [before, now] = [node.sums[BEFORE] || 0, node.sums[NOW] || 0];
    if (now >= 2 * before && now > 0) return "up3";
    if (now * 2 <= before) return before > 0 ? "down3" : "same";
    if (now >= 1.2 * before) return "up2";
    if (now >= 1.05 * before) return "up1";
    if (now <= 0.8 * before) return "down2";
    return now <= 0.95 * before ? "down1" : "same";
  };
  const typeOf = (node) => {
    const best = Object.entries(node.types).sort(([, a], [, b]) => b - a)[0];
    const name = best ? data.types[best[0]] : "";
    return ["string", "hash", "list", "set", "zset", "stream"].includes(name) ? name : "other";
  };

  const map = $("#map svg");
  const crumbs = $("#map-crumbs");
  const side = $("#map-keys tbody");
  let measure = "size";
  let current = root;
  const show = (n) => measure === "size" || measure === "nottl" ? bytes(n) : count(n);
  const maxCells = 60; // of one level; the rest is one cell

  const childrenOf = (node, most) => {
    const m = measures[measure];
    const list = [...node.children.values()].filter((c) => c.sums[m] > 0).sort((a, b) => b.sums[m] - a.sums[m]);
    if (list.length <= most) return list;
    const rest = { name: "", path: "", rest: list.length - most + 1, children: new Map(), sums: [0, 0, 0, 0, 0], types: {}, parent: node };
    for (const c of list.slice(most - 1)) {
      for (let i = 1; i < 5; i++) rest.sums[i] += c.sums[i];
      for (const i of data.compared ? [BEFORE, NOW] : []) rest.sums[i] = (rest.sums[i] || 0) + c.sums[i];
    }
    return [...list.slice(0, most - 1), rest];
  };

  const draw = () => {
    const m = measures[measure];
    const width = map.clientWidth || 800;
    const height = map.clientHeight || 460;
    map.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const nested = (node, level) => ({ node, children: level < 2 ? childrenOf(node, level === 0 ? maxCells : 12).map((c) => nested(skip(c), level + 1)) : [] });
    const tree = d3.hierarchy(nested(current, 0)).sum((d) => d.children.length ? 0 : d.node.sums[m]).sort((a, b) => b.value - a.value);
    d3.treemap().size([width, height]).paddingInner(1).paddingTop((d) => d.depth === 1 && d.children && d.y1 - d.y0 > 40 && d.x1 - d.x0 > 60 ? 18 : 0).round(true)(tree);
    map.replaceChildren();
    for (const d of tree.descendants()) {
      const w = d.x1 - d.x0;
      const h = d.y1 - d.y0;
      if (d.depth === 0 && d.children || w < 1 || h < 1) continue;
      const n = d.data.node;
      const name = n.rest ? text.more.replace("%d", count(n.rest)) : relative(n.path, d.depth === 2 ? d.parent.data.node.path : current.path) || n.name;
      const title = `${n.rest ? name : n.path || text.all}\n${text.keys}: ${count(n.sums[KEYS])}\n${text.size}: ${bytes(n.sums[SIZE])} (${percent(n.sums[SIZE] / (root.sums[SIZE] || 1))})\n` +
        `${text.nottl}: ${bytes(n.sums[NOTTL])}\n` + (data.compared ? `${bytes(n.sums[BEFORE])} → ${bytes(n.sums[NOW])}` : `${text.findings}: ${count(n.sums[FINDINGS])}`);
      const zoom = !n.rest && n !== current && d.depth === 1;
      const g = element("g", { class: "cell" + (d.children ? " outer" : ""), transform: `translate(${d.x0},${d.y0})` }, element("title", {}, title));
      const rect = element("rect", { width: w, height: h });
      if (!d.children) rect.setAttribute("class", "t-" + colorOf(n));
      g.append(rect);
      if (zoom) {
        g.setAttribute("tabindex", "0");
        g.setAttribute("role", "button");
        g.setAttribute("aria-label", title.replaceAll("\n", ", "));
        g.dataset.path = n.path;
      }
      const click = d.depth === 2 ? d.parent.data.node : n;
      if (zoom || d.depth === 2) {
        g.addEventListener("click", () => go(click));
        g.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); go(click); } });
      }
      const room = Math.floor((w - 8) / 7.2);
      if (h > 15 && room > 2) {
        g.append(element("text", { x: 4, y: 13 }, fit(name, room)));
        if (!d.children && h > 32) g.append(element("text", { x: 4, y: 28 }, fit(show(n.sums[m]), room)));
      }
      map.append(g);
    }
    map.setAttribute("aria-label", `${current.path || text.all}: ${show(current.sums[m])}`);
    path();
    keys();
  };
  const relative = (path, base) => path.startsWith(base) ? path.slice(base.length) : path;
  const fit = (s, room) => {
    const characters = [...s];
    return characters.length <= room ? s : characters.slice(0, Math.max(1, room - 1)).join("") + "…";
  };
  const path = () => {
    const list = [];
    for (let n = current; n; n = n.parent) list.unshift(n);
    crumbs.replaceChildren(...list.map((n) => {
      const b = element("button", { type: "button" }, n.parent ? n.name : text.all);
      if (n === current) b.setAttribute("aria-current", "true");
      b.addEventListener("click", () => go(n));
      return b;
    }));
  };
  // The known keys below the prefix. A pattern's star takes any characters.
  const keys = () => {
    const rows = [];
    for (const [name, size, group] of data.keys) {
      if (rows.length === 15) break;
      const pattern = data.groups[group];
      if (pattern ? pattern[NAME].startsWith(current.path) : current === root) {
        const cell = element("td", { class: "name" }, name);
        cell.dir = "auto";
        rows.push(element("tr", {}, element("td", { class: "n" }, bytes(size)), cell));
      }
    }
    side.replaceChildren(...rows);
  };
  const go = (node) => {
    const focus = map.contains(document.activeElement);
    current = node;
    draw();
    if (focus) ($(".cell[tabindex]", map) || $("button[aria-current]", crumbs)).focus();
  };
  for (const b of $$("#map-controls button")) {
    b.addEventListener("click", () => {
      measure = b.dataset.measure;
      $$("#map-controls button").forEach((o) => o.setAttribute("aria-pressed", String(o === b)));
      draw();
    });
  }
  if (data.groups.length) {
    draw();
    let width = map.clientWidth;
    new ResizeObserver(() => { if (map.clientWidth !== width) { width = map.clientWidth; draw(); } }).observe(map);
  }
})();
