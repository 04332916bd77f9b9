// The pane beside the map: what the page knows about a prefix or a key, in place of what to
// fix first.
const pane = $("#pane");
const fact = (title, ...values) => [make("dt", {}, title), make("dd", {}, ...values)];
const keyLink = (name) => known.has(name) ? make("a", { href: addressOf({ key: name, at: state.at }), dir: "auto", class: "name" }, name) : make("code", { dir: "auto", class: "name" }, name);
const badge = (severity) => make("span", { class: "severity " + severity }, severity);
const ruleLink = (rule, severity) => make("a", { href: "#" + new URLSearchParams({ ...state, key: "", at: state.at ?? "", to: `rule-${rule}-${severity}` }) }, make("code", {}, rule));

// below reports whether a group or a key belongs to a node.
const below = (name, node) => !node.parent || name === node.path || name.startsWith(node.path.replace(/…$/, "")) && (node.children.length > 0 || node.path.endsWith("…")) || fits(name, node);

const section = (title, ...content) => content.length ? [make("h3", {}, title), ...content] : [];

const nodePane = (node) => {
  const share = tree.size ? percent(node.size / tree.size) : "";
  const size = data.size === "memory" ? say("memory") : say("value bytes");
  const facts = make("dl", {},
    ...fact(size, `${bytes(node.size)} (${share})`), ...fact(say("keys"), count(node.keys)), ...fact(say("elements"), count(node.elements)),
    ...fact(say("types"), typesOf(node).join(", ")),
    ...fact(say("without TTL"), node.nottlKeys ? `${percent(node.nottlKeys / node.keys)}, ${bytes(node.nottl)}` : say("none")),
    ...(node.median === null ? [] : fact("TTL", node.least === node.most ? duration(node.median) : `${duration(node.least)} – ${duration(node.most)}, ${say("median")} ${duration(node.median)}`)));
  const groups = (data.groups ?? []).map((g, i) => [g, i]).filter(([g]) => below(g[0], node));
  const inGroups = new Set(groups.map(([, i]) => i));
  const found = (data.rules ?? []).map((r) => [r, r.groups.reduce((n, [g, c]) => inGroups.has(g) ? n + c : n, 0)]).filter(([, n]) => n > 0);
  const names = new Map();
  for (const [g] of groups) if (g[2]) {
    const text = root.lang === "zh" ? g[3] : g[2];
    names.set(text, (names.get(text) ?? 0) + g[1]);
  }
  const about = $$("#fix li.card").filter((c) => c.dataset.about && below(c.dataset.about, node));
  const saving = rowsOf("savings-table").filter((s) => below(s.name, node));
  const keys = keyRows.filter((k) => below(k.name, node)).sort((a, b) => b.size - a.size).slice(0, 12);
  const largest = keys.map((k) => make("li", {}, make("b", {}, bytes(k.size)), " ", keyLink(k.name)));
  if (!largest.length && node.largest) largest.push(make("li", {}, make("b", {}, bytes(node.largestSize)), " ", keyLink(node.largest)));
  return [facts, ...(node.lacks ? [make("p", { class: "dim" }, say("Up to {n} more keys of this prefix count elsewhere.", count(node.lacks)))] : []),
    ...section(say("What it is"), ...[...names].slice(0, 5).map(([text, n]) => make("p", {}, text, " ", make("span", { class: "dim" }, keysOf(n))))),
    ...section(say("Findings"), ...found.map(([r, n]) => make("p", {}, badge(r.severity), " ", ruleLink(r.rule, r.severity), " × ", count(n)))),
    ...section(say("What to do"), ...about.map((c) => c.cloneNode(true)), ...saving.filter((s) => !about.some((c) => c.dataset.about === s.name)).slice(0, 5).map((s) =>
      make("p", {}, make("b", {}, s.cells.saves.textContent), " ", ...s.cells.how.cloneNode(true).childNodes))),
    ...section(say("Largest keys"), ...(largest.length ? [make("ul", { class: "keys" }, ...largest)] : []))];
};

const keyPane = (k) => {
  const list = make("dl", {});
  k.heads.forEach((h, i) => {
    const cell = k.row.cells[i];
    if (i === 0 || !cell.textContent) return;
    const head = headsOf(k.row.closest("table"))[i];
    const title = make("dt", {}, ...($("button", head) ?? head).cloneNode(true).childNodes);
    const value = make("dd", {});
    if (h === "findings") for (const rule of english(cell).split(", ")) {
      const severity = (data.rules ?? []).find((r) => r.rule === rule)?.severity;
      value.append(...(severity ? [badge(severity), " ", ruleLink(rule, severity)] : [make("code", {}, rule)]), " ");
    } else value.append(...cell.cloneNode(true).childNodes);
    list.append(title, value);
  });
  const node = nodeOfKey(k.name);
  const about = $$("#fix li.card").filter((c) => c.dataset.about && (c.dataset.about === k.name || below(k.name, { path: c.dataset.about, children: [], parent: tree })));
  return [list, ...section(say("Where it is"), make("p", {}, make("a", { href: addressOf({ at: node.path }), class: "name" }, node.path || say("all keys")))),
    ...section(say("What to do"), ...about.map((c) => c.cloneNode(true)))];
};

if (pane) views.push((before, again) => {
  if (state.key === before.key && state.at === before.at && !again && pane.dataset.shown) return;
  pane.dataset.shown = "yes";
  const key = state.key === undefined ? undefined : known.get(state.key);
  const node = nodeAt(state.at);
  const isOpen = key !== undefined || state.key === undefined && node !== tree && (node.parent !== tree || inside(tree) !== inside(node));
  $("#fix").classList.toggle("hidden", isOpen);
  pane.classList.toggle("hidden", !isOpen);
  if (!isOpen) { pane.replaceChildren(); return; }
  const name = key ? key.name : node.path;
  pane.replaceChildren(make("a", { class: "back", href: addressOf({ at: null }) }, "‹ " + say("What to fix first")), make("h2", { class: "name", dir: "auto" }, name), ...(key ? keyPane(key) : nodePane(node)));
  pane.scrollTop = 0;
});
