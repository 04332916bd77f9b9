// The map: the tree of names as nested areas. Cells are links to the prefix that they show.
const nodeOf = (list, parent) => {
  const [label, keys, size, nottlKeys, nottl, elements, types, error, warning, info, least, median, most, lacks, largest, largestSize, rules, groups, owner, soon, was, children] = list;
  const node = { label, keys, size, nottlKeys, nottl, elements, types, error, warning, info, least, median, most, lacks, largest, largestSize, rules, groups, owner, soon, was, parent };
  node.path = label.startsWith("\0") ? label.slice(1) : (parent?.path ?? "") + label;
  if (label.startsWith("\0")) node.label = node.path;
  node.findings = error + warning + info;
  node.children = (children ?? []).map((c) => nodeOf(c, node));
  byPath.set(node.path, node);
  return node;
};
const byPath = new Map();
const tree = data.tree ? nodeOf(data.tree, null) : null;

// A node with one child only is shown as that child.
const inside = (node) => {
  while (node.children.length === 1 && node.children[0].keys === node.keys) node = node.children[0];
  return node;
};
// nodeAt returns the node of a prefix, or the closest one that has it.
const nodeAt = (path) => {
  for (let p = path ?? ""; ; p = p.slice(0, -1)) {
    const node = byPath.get(p) ?? byPath.get(p + "…");
    if (node || !p) return node ?? tree;
  }
};

// Colours. Each is a class of the cell and its word.
const typeNames = ["string", "hash", "list", "set", "zset", "stream"];
const typesOf = (node) => (data.types ?? []).filter((_, i) => node.types >> i & 1);
// rulesOf returns the findings of a node: rule, severity and number.
const rulesOf = (node) => {
  const list = [];
  for (let i = 0; i < node.rules.length; i += 2) list.push([...data.rules[node.rules[i]], node.rules[i + 1]]);
  return list;
};
const coldOf = (node) => rulesOf(node).reduce((sum, [rule, , n]) => rule === "cold-key" ? sum + n : sum, 0);
// ownerOf returns who owns the keys of a node, null if nobody owns any keys.
const ownerOf = (node) => !data.owners ? null : data.owners[node.owner] ?? (node.owner === -2 ? say("(no owner)") : say("several"));
// groupsOf returns the names of the groups that count the keys of a node.
const groupsOf = (node) => node.groupNames ??= new Set(node.children.length ? node.children.flatMap((c) => [...groupsOf(c)]) :
  node.groups.length ? node.groups.map((g) => data.groups[g][0]) : [node.path]);
const colors = {
  type: (node) => {
    const types = typesOf(node);
    return types.length === 1 && typeNames.includes(types[0]) ? "t-" + types[0] : types.length > 1 ? "t-mixed" : "t-other";
  },
  ttl: (node) => {
    if (node.nottlKeys * 2 > node.keys || node.median === null) return "c-none";
    return node.median < 3600 ? "c-1" : node.median < 86400 ? "c-2" : node.median < 7 * 86400 ? "c-3" : "c-4";
  },
  severity: (node) => node.error ? "s-error" : node.warning ? "s-warning" : node.info ? "s-info" : "s-fine",
  growth: (node) => {
    const growth = growthOf(node);
    return growth === null ? "c-none" : growthSteps.find(([, least]) => growth >= least)[0];
  },
  age: (node) => {
    const share = coldOf(node) / node.keys;
    return share === 0 ? "c-0" : share < 0.25 ? "c-2" : share < 0.75 ? "c-3" : "c-4";
  },
};
// growthOf returns by how much of what it was a node has grown: -1 to Infinity, null if that is not known.
const growthOf = (node) => !node.was.length ? null : node.was[0] ? node.size / node.was[0] - 1 : Infinity;
const growthSteps = [["t-up3", 1, () => say("doubled or new")], ["t-up2", 0.25, () => say("25% more or over")], ["t-up1", 0.02, () => say("more")],
  ["t-same", -0.02, () => say("about the same")], ["t-down1", -0.25, () => say("less")], ["t-down2", -1, () => say("25% less or under")]];
const legends = {
  growth: () => [...growthSteps.map(([name, , text]) => [name, text()]), ["c-none", say("not known")]],
  type: () => [...typeNames.map((t) => ["t-" + t, t]), ["t-other", say("other types")], ["t-mixed", say("several types")]],
  ttl: () => [["c-1", say("under an hour")], ["c-2", say("under a day")], ["c-3", say("under a week")], ["c-4", say("longer")], ["c-none", say("most have no TTL")]],
  severity: () => [["s-error", say("errors")], ["s-warning", say("warnings")], ["s-info", say("info")], ["s-fine", say("no findings")]],
  age: () => [["c-0", say("no idle keys")], ["c-2", say("under 25% idle")], ["c-3", say("under 75% idle")], ["c-4", say("nearly all idle")]],
};

// squarify places items, the largest first, in rows that are as square as possible.
const squarify = (items, x, y, w, h, place) => {
  let total = items.reduce((sum, i) => sum + i.value, 0);
  for (let i = 0; i < items.length;) {
    const [short, each] = [Math.min(w, h), w * h / total];
    let row = 0;
    let n = i;
    for (let best = Infinity; n < items.length; n++) {
      const area = (row + items[n].value) * each;
      const worst = Math.max(short * short * items[i].value * each / (area * area), area * area / (short * short * items[n].value * each));
      if (worst > best) break;
      [best, row] = [worst, row + items[n].value];
    }
    const side = row * each / short;
    for (let at = 0; i < n; i++) {
      const length = items[i].value / row * short;
      if (w >= h) place(items[i], x, y + at, side, length);
      else place(items[i], x + at, y, length, side);
      at += length;
    }
    total -= row;
    if (w >= h) [x, w] = [x + side, w - side];
    else [y, h] = [y + side, h - side];
  }
};

const map = $("#map");
const leastArea = 60; // of a cell in square pixels; smaller ones are one
const mostCells = [60, 30, 20]; // by depth
let cells = []; // of what is drawn: node, rectangle, element
let shownNode = null; // whose children are drawn
let measure = "size";
let color = "type";
const show1 = (node) => measure === "size" || measure === "nottl" ? bytes(node[measure]) : count(node[measure]);

// layout calls place for the cells of a node's children, from outside to inside.
const layout = (node, x, y, w, h, depth, place) => {
  const list = node.children.map((c) => ({ value: c[measure], node: inside(c) })).filter((c) => c.value > 0).sort((a, b) => b.value - a.value);
  const total = list.reduce((sum, c) => sum + c.value, 0);
  let n = list.findIndex((c, i) => i >= mostCells[depth] || c.value / total * w * h < leastArea);
  if (n < 0 || n === list.length - 1) n = list.length;
  const rest = list.slice(n);
  if (rest.length) list.splice(n, rest.length, { value: rest.reduce((sum, c) => sum + c.value, 0), rest: rest.length, node });
  list.sort((a, b) => b.value - a.value);
  squarify(list, x, y, w, h, (item, x, y, w, h) => {
    const outer = !item.rest && depth < 2 && item.node.children.length > 0 && w > 70 && h > 46;
    place(item, node, x, y, w, h, depth, outer);
    if (outer) layout(item.node, x + 2, y + 18, w - 4, h - 20, depth + 1, place);
  });
};

// draw draws the cells of what is shown. If it is zoomed to, most cells are made while it moves,
// a few milliseconds in each frame. focused returns the cell that gets the focus.
let mapSize = [0, 0];
const draw = (slowly = false, focused = null) => {
  mapSize = [map.clientWidth || 800, map.clientHeight || 460];
  cells = [];
  layout(shownNode, 0, 0, ...mapSize, 0, (item, parent, x, y, w, h, depth, outer) => cells.push({ ...item, parent, x, y, w, h, depth, outer, cell: null }));
  const layer = make("div", { class: "layer" });
  const wanted = focused?.();
  const address = addressOf({ at: "" });
  const make1 = () => {
    const end = slowly ? performance.now() + 4 : Infinity;
    const marked = markOf();
    for (; made < cells.length && (performance.now() < end || made % 20); made++) {
      layer.append(makeCell(cells[made], address + (address === "#" ? "" : "&") + "at="));
      marked(cells[made]);
      if (cells[made] === wanted) setTimeout(() => wanted.cell.focus({ preventScroll: true }));
    }
    if (made < cells.length) setTimeout(() => layer.isConnected && make1(), 8);
    else mark();
  };
  let made = 0;
  map.replaceChildren(layer);
  make1();
};
const makeCell = (c, address) => {
  const { node, rest, parent, x, y, w, h, depth, outer } = c;
  const name = rest ? say("{n} more", count(rest)) : node.path.slice(node.path.startsWith(parent.path) ? parent.path.length : 0) || node.path;
  const worst = rest ? "" : node.error ? "error" : node.warning ? "warning" : "";
  const cell = c.cell = document.createElement("a");
  cell.className = "cell " + (outer ? "outer" : rest ? "rest" : colors[color](node));
  cell.href = address + encodeURIComponent(node.path);
  cell.tabIndex = -1;
  cell.title = cell.ariaLabel = rest ? name : `${node.path}, ${bytes(node.size)}, ${keysOf(node.keys)}, ${worst === "error" ? say("errors") : worst ? say("warnings") : say("no errors")}`;
  const px = (n, of) => n / of * 100 + "%";
  Object.assign(cell.style, { left: px(x, mapSize[0]), top: px(y, mapSize[1]), width: px(w, mapSize[0]), height: px(h, mapSize[1]) });
  if (h > 15 && w > 24) cell.append(make("span", {}, name));
  const figure = outer || rest ? "" : show1(node);
  if (figure && h > 34 && w > figure.length * 7.5 + 9) cell.append(" ", make("span", { class: "figure" }, figure));
  if (worst && h > 16 && w > 40 && (!outer || depth === 0)) {
    cell.append(make("i", { class: "badge " + worst }));
    cell.classList.add("marked");
  }
  return cell;
};

// markOf returns a function that shows what is searched for and what is chosen; mark does so
// for all cells, and lets one have the focus.
const markOf = () => {
  const chosen = state.key !== undefined ? nodeOfKey(state.key) : nodeAt(state.at);
  return (c) => {
    c.chosen = chosen !== tree && c.node === inside(chosen) && !c.rest;
    c.cell.classList.toggle("dim", hits !== null && !hits.has(c.node));
    c.cell.classList.toggle("chosen", c.chosen);
  };
};
const mark = () => {
  const made = cells.filter((c) => c.cell);
  made.forEach(markOf());
  const one = made.find((c) => c.chosen) ?? made[0];
  made.forEach((c) => { c.cell.tabIndex = c === one ? 0 : -1; });
};

// nodeOfKey returns the deepest node whose names a key's name fits.
const nodeOfKey = (name) => {
  let best = tree;
  const look = (node) => {
    for (const c of node.children) {
      if (c.path.endsWith("…") || !fits(name, c)) continue;
      best = c;
      look(c);
      return;
    }
  };
  look(tree);
  return best;
};
// fits reports whether a name is one of a node: a * stands for any characters.
const fits = (name, node) => {
  if (!node.path.includes("*")) return node.children.length || /[:#_.\-/|]$/.test(node.path) ? name.startsWith(node.path) : name === node.path;
  node.pattern ??= new RegExp("^" + node.path.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*") + (node.children.length ? "" : "$"), "su");
  return node.pattern.test(name);
};

// zoom moves from what was drawn to what is: into a cell, or out of one.
const still = matchMedia("(prefers-reduced-motion: reduce)");
const zoom = (from, to, before) => {
  const layer = $(".layer", map);
  const [width, height] = mapSize;
  const rectangle = (list, node) => list.find((c) => inside(c.node) === node && !c.rest) ?? list.find((c) => isBelow(node, c.node) && !c.rest);
  let start;
  const into = isBelow(to, from) && rectangle(before, to);
  const out = isBelow(from, to) && rectangle(cells, from);
  if (into) start = `translate(${into.x}px, ${into.y}px) scale(${into.w / width}, ${into.h / height})`;
  else if (out) start = `scale(${width / out.w}, ${height / out.h}) translate(${-out.x}px, ${-out.y}px)`;
  if (start && !still.matches) layer.animate([{ transform: start, opacity: 0.4 }, { transform: "none", opacity: 1 }], { duration: 260, easing: "ease-out" });
};
const isBelow = (node, above) => {
  for (let n = node; n; n = n.parent) if (n === above) return true;
  return false;
};

// The path to what is shown.
const crumbs = $("#crumbs");
const drawCrumbs = (node) => {
  const list = [];
  for (let n = node; n; n = n.parent) if (!n.parent || n.parent !== tree || inside(tree) !== inside(n)) list.unshift(n);
  crumbs.replaceChildren(...list.map((n) => make("a", { href: addressOf({ at: n.path }), "aria-current": n === node ? "true" : null }, n.parent ? n.label : say("all keys"))));
};
const up = () => {
  const node = nodeAt(state.at);
  if (!node.parent) return;
  let above = node.parent;
  while (above.parent && inside(above) === inside(node)) above = above.parent;
  go({ at: above.path });
};

if (tree) {
  for (const cell of $$("#expires-next-table td.name")) if (cell.textContent && byPath.has(cell.textContent)) link(cell, "#" + new URLSearchParams({ at: cell.textContent }));
  views.push((before, again) => {
    const node = state.key !== undefined ? nodeOfKey(state.key) : nodeAt(state.at);
    const from = shownNode;
    const moved = ["key", "at", "time"].some((name) => state[name] !== before[name] && state[name] !== undefined);
    const away = moved && from && map.getBoundingClientRect().bottom < 200; // asked before anything changes
    const [oldMeasure, oldColor] = [measure, color];
    measure = ["size", "keys", "nottl", "findings"].includes(state.size) ? state.size : "size";
    color = legends[state.color] ? state.color : "type";
    $("#measure").value = measure;
    $("#color").value = color;
    // What has nothing inside is shown among its neighbours.
    let next = inside(node);
    while (next.children.length < 2 && next.parent) next = next.parent;
    shownNode = next;
    search();
    if (state.q !== before.q && hits?.has(tree) && !hits.has(next)) { // to the nearest prefix above that has a hit
      let above = next;
      while (!hits.has(above)) above = above.parent;
      goQuietly({ at: above.path });
      return;
    }
    if (next !== from || measure !== oldMeasure || color !== oldColor || again) {
      const focus = map.contains(document.activeElement);
      const drawn = cells;
      const zooms = from && next !== from;
      draw(zooms && !still.matches, zooms && focus ? () => cells.find((c) => isBelow(from, c.node)) ?? cells[0] : null);
      if (zooms) zoom(from, next, drawn);
      const used = new Set(cells.filter((c) => !c.outer && !c.rest).map((c) => colors[color](c.node)));
      $("#legend").replaceChildren(...legends[color]().filter(([name]) => used.has(name)).map(([name, text]) => make("li", {}, make("svg", { "aria-hidden": "true" }, make("rect", { class: name, width: 12, height: 12 })), text)),
        ...(color === "severity" ? [] : ["error", "warning"]).filter((worst) => cells.some((c) => !c.rest && c.node[worst])).map((worst) => make("li", {}, make("i", { class: "badge " + worst }), worst === "error" ? say("errors") : say("warnings"))));
    } else mark();
    drawCrumbs(node);
    if (away) scrollTo(0, 0);
  });
  for (const [id, name] of [["measure", "size"], ["color", "color"]]) {
    $("#" + id).addEventListener("change", (e) => go({ [name]: e.target.selectedIndex ? e.target.value : null, key: state.key }));
  }
  new ResizeObserver(() => { if (shownNode && (map.clientWidth !== mapSize[0] || map.clientHeight !== mapSize[1])) draw(); }).observe(map);

  // Keys: arrows go to the next cell, Escape and Backspace out.
  map.addEventListener("keydown", (e) => {
    const here = cells.find((c) => c.cell === document.activeElement);
    if (e.key === "Escape" || e.key === "Backspace") { e.preventDefault(); up(); return; }
    if (e.key === " " && here) { e.preventDefault(); here.cell.click(); return; }
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!direction || !here) return;
    e.preventDefault();
    const middle = (c) => [c.x + c.w / 2, c.y + (c.outer ? 9 : c.h / 2)];
    const [x, y] = middle(here);
    let best = null;
    for (const c of cells) {
      const [cx, cy] = middle(c);
      const [along, across] = direction[0] ? [(cx - x) * direction[0], Math.abs(cy - y)] : [(cy - y) * direction[1], Math.abs(cx - x)];
      if (c === here || along <= 1 || !c.cell) continue;
      const far = along + 2 * across;
      if (!best || far < best.far) best = { far, c };
    }
    if (best) {
      here.cell.tabIndex = -1;
      best.c.cell.tabIndex = 0;
      best.c.cell.focus({ preventScroll: true });
    }
  });
}

// Search: names that have the words, and owners that have those after owner:. What is above and
// below a hit stays bright. A time leaves what may expire then.
let hits = null;
const wordsOf = (text) => {
  const all = (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return { names: all.filter((w) => !w.startsWith("owner:")), owners: all.filter((w) => w.startsWith("owner:")).map((w) => w.slice(6)) };
};
const isOwner = (owner, words) => words.every((w) => owner !== null && owner.toLowerCase().includes(w));
const timeOf = (text) => text ? text.split("-").map(Number) : null;
const expiresIn = (node, time) => !time || node.most !== null && node.least + data.taken < time[1] && node.most + data.taken >= time[0];
const search = () => {
  const { names, owners } = wordsOf(state.q);
  const time = timeOf(state.time);
  const box = $("#search");
  if (box.value !== (state.q ?? "")) box.value = state.q ?? "";
  const found = $("#found");
  hits = null;
  found.textContent = "";
  const asked = names.length + owners.length > 0;
  if (!asked && !time) return;
  hits = new Set();
  let keys = 0;
  const look = (node, above) => {
    const path = node.path.toLowerCase();
    const hit = above || node !== tree && names.every((w) => path.includes(w)) && isOwner(ownerOf(node), owners);
    if (hit && !above) keys += node.keys;
    let any = hit && !node.children.length && expiresIn(node, time);
    for (const c of node.children) any = look(c, hit) || any;
    if (any) hits.add(node);
    return any;
  };
  if (tree) look(tree, !asked);
  let single = 0;
  for (const k of keyRows) {
    const name = k.name.toLowerCase();
    if (time || !names.every((w) => name.includes(w)) || !isOwner(k.cells.owner?.textContent ?? null, owners)) continue;
    const node = tree && nodeOfKey(k.name);
    if (!node || hits.has(node)) continue;
    single++;
    for (let n = node; n; n = n.parent) hits.add(n);
  }
  if (asked) found.textContent = keysOf(keys + single);
};
$("#search")?.addEventListener("input", (e) => goQuietly({ q: e.target.value, at: state.at, key: state.key }));
$("#search")?.addEventListener("keydown", (e) => {
  if (e.key === "Escape") { goQuietly({ q: null }); e.target.blur(); }
  if (e.key === "Enter" && tree && hits) {
    const first = cells.find((c) => hits.has(c.node) && !c.rest);
    if (first) first.cell.focus();
  }
});
addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
  const box = $("#search");
  if (box) { e.preventDefault(); box.focus(); box.select(); }
});
