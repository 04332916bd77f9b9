// The pane beside the map: what the page knows about a prefix or a key, in place of what to
// fix first.
const pane = $("#pane");
const fact = (title, ...values) => [make("dt", {}, title), make("dd", {}, ...values)];
const keyLink = (name) => known.has(name) ? make("a", { href: addressOf({ key: name, at: state.at }), dir: "auto", class: "name" }, name) : make("code", { dir: "auto", class: "name" }, name);
const badge = (severity) => make("span", { class: "severity " + severity }, severity);
const ruleLink = (rule, severity) => make("a", { href: "#" + new URLSearchParams({ ...state, key: "", at: state.at ?? "", to: `rule-${rule}-${severity}` }) }, make("code", {}, rule));

// concerns reports whether a name of a key, of a group or of a prefix has to do with a node: it is
// below it, or above it, or a group that counts keys of the node.
const concerns = (name, node) => !node.parent || groupsOf(node).has(name) || isBelow(node, byPath.get(name) ?? {}) ||
  name.startsWith(node.path.replace(/…$/, "")) && (node.children.length > 0 || node.path.endsWith("…")) || fits(name, node);

const copied = (cards) => cards.length ? [make("ol", { class: "fix" }, ...cards.map((c) => c.cloneNode(true)))] : [];
const section = (title, ...content) => content.length ? [make("h3", {}, title), ...content] : [];

const expires = (node, i) => node.soon[i] ? `${keysOf(node.soon[i])}, ${bytes(node.soon[i + 1])}` : say("none");

// fixOf returns what to do about the keys that a rule flags, as it stands below what the rule found.
const fixOf = (rule, severity) => $(`#rule-${rule}-${severity} > p:nth-of-type(2)`)?.cloneNode(true);

const signed = (n, show) => n < 0 ? "-" + show(-n) : "+" + show(n);

const nodePane = (node) => {
  const share = tree.size ? percent(node.size / tree.size) : "";
  const size = data.size === "memory" ? say("memory") : say("value bytes");
  const facts = make("dl", {},
    ...fact(size, `${bytes(node.size)} (${share})`), ...fact(say("keys"), count(node.keys)), ...fact(say("elements"), count(node.elements)),
    ...fact(say("types"), typesOf(node).join(", ")),
    ...fact(say("without TTL"), (node.nottlKeys ? `${keysOf(node.nottlKeys)} (${percent(node.nottlKeys / node.keys)}), ${bytes(node.nottl)}` : say("none")) +
      (node.was[1] && node.was[2] !== node.nottlKeys ? say(", before {n}", count(node.was[2])) : "")),
    ...(data.since ? fact(say("since {n}", data.since), !node.was.length ? say("not known") : node.size === node.was[0] && node.keys === node.was[1] ? say("the same") : `${signed(node.size - node.was[0], bytes)} (${node.was[0] ? signed(growthOf(node), percent) : say("new")}), ${signed(node.keys - node.was[1], count)} ${say("keys")}`) : []),
    ...(data.owners ? fact(say("owner"), ownerOf(node)) : []),
    ...(node.median === null ? [] : fact("TTL", node.least === node.most ? duration(node.median) : `${duration(node.least)} – ${duration(node.most)}, ${say("median")} ${duration(node.median)}`)),
    ...(node.soon.length ? [...fact(say("expires before midnight (UTC)"), expires(node, 2)), ...fact(say("expires within 24 hours"), expires(node, 4))] : []));
  const own = groupsOf(node);
  const found = rulesOf(node);
  const names = new Map();
  for (const g of data.groups ?? []) if (g[2] && own.has(g[0])) {
    const text = root.lang === "zh" ? g[3] : g[2];
    names.set(text, (names.get(text) ?? 0) + g[1]);
  }
  const about = $$("#fix li.card, #what-can-go li.card").filter((c) => c.dataset.about && concerns(c.dataset.about, node));
  const saving = rowsOf("savings-table").filter((s) => concerns(s.name, node));
  const keys = keyRows.filter((k) => isBelow(nodeOfKey(k.name), node)).sort((a, b) => b.size - a.size).slice(0, 12);
  const largest = keys.map((k) => make("li", {}, make("b", {}, bytes(k.size)), " ", keyLink(k.name)));
  if (!largest.length && node.largest) largest.push(make("li", {}, make("b", {}, bytes(node.largestSize)), " ", keyLink(node.largest)));
  return [facts, ...(node.lacks ? [make("p", { class: "dim" }, say("Up to {n} more keys of this prefix count elsewhere.", count(node.lacks)))] : []),
    ...section(say("What it is"), ...[...names].slice(0, 5).map(([text, n]) => make("p", {}, text, " ", make("span", { class: "dim" }, keysOf(n))))),
    ...section(say("Findings"), ...found.map(([rule, severity, n]) => make("p", {}, badge(severity), " ", ruleLink(rule, severity), " × ", count(n)))),
    ...section(say("What to do"), ...copied(about), ...(about.length ? [] : found.map(([rule, severity]) => fixOf(rule, severity)).filter(Boolean)), ...saving.filter((s) => !about.some((c) => c.dataset.about === s.name)).slice(0, 5).map((s) =>
      make("p", {}, make("b", {}, s.cells.saves.textContent), " ", ...s.cells.how.cloneNode(true).childNodes))),
    ...section(say("Largest keys"), ...(largest.length ? [make("ul", { class: "keys" }, ...largest)] : []))];
};

// whyBig says what makes a key as big as it is.
const whyBig = (k) => {
  const number = (column) => k.cells[column]?.textContent ? figureOf(english(k.cells[column])) : 0;
  const [memory, value, elements, largest] = ["memory", "value", "elements", "largest"].map(number);
  const list = [];
  if (elements > 1) list.push(say("{n} elements", count(elements)) + (memory ? say(" of {n} each", bytes(memory / elements)) : ""));
  if (elements > 1 && largest > value / 2) list.push(say("the largest element is {n} of the value", percent(largest / value)));
  if (memory > value && value) list.push(say("values are {n} of the memory, the rest is what keeps them", percent(value / memory)));
  return list.join(root.lang === "zh" ? "，" : ", ");
};

const keyPane = (k) => {
  const list = make("dl", {}, ...fact(say("why so big"), whyBig(k)));
  const rules = [];
  k.heads.forEach((h, i) => {
    const cell = k.row.cells[i];
    if (i === 0 || !cell.textContent) return;
    const head = headsOf(k.row.closest("table"))[i];
    const title = make("dt", {}, ...($("button", head) ?? head).cloneNode(true).childNodes);
    const value = make("dd", {});
    if (h === "findings") for (const rule of english(cell).split(", ")) {
      const severity = (data.rules ?? []).find(([name]) => name === rule)?.[1];
      rules.push(fixOf(rule, severity));
      value.append(...(severity ? [badge(severity), " ", ruleLink(rule, severity)] : [make("code", {}, rule)]), " ");
    } else value.append(...cell.cloneNode(true).childNodes);
    list.append(title, value);
  });
  const node = nodeOfKey(k.name);
  const about = $$("#fix li.card, #what-can-go li.card").filter((c) => c.dataset.about && (c.dataset.about === k.name || fits(k.name, { path: c.dataset.about, children: [] }) || isBelow(node, byPath.get(c.dataset.about) ?? {})));
  return [list, ...section(say("Where it is"), make("p", {}, make("a", { href: addressOf({ at: node.path }), class: "name" }, node.path || say("all keys")))),
    ...section(say("What to do"), ...(about.length ? copied(about) : rules.filter(Boolean)))];
};

// timePane says what expires in a time: in an hour of the day after the snapshot exactly, later what may.
const utc = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19);
const timePane = ([from, until]) => {
  const hour = (data.hours ?? []).find((h) => h.from === from && h.until === until);
  const rows = hour ? hour.prefixes.map((p) => [p.prefix, p.keys]) :
    [...byPath.values()].filter((n) => !n.children.length && expiresIn(n, [from, until])).sort((a, b) => b.keys - a.keys).slice(0, 15).map((n) => [n.path, n.keys]);
  const command = make("div", { class: "command" }, make("pre", {}, `rdblens keys --expire-after ${utc(from)} --expire-before ${utc(until)} ${data.files}`),
    make("button", { type: "button", class: "copy" }, say("Copy")));
  return [...(hour ? [make("dl", {}, ...fact(say("keys"), count(hour.keys)), ...fact(say("memory"), hour.memory_bytes === null ? "" : bytes(hour.memory_bytes)))] :
    [make("p", { class: "dim" }, say("These prefixes have keys that expire before and after this time, or in it. The command lists the keys that expire in it."))]),
  ...section(say("Prefixes"), make("ul", { class: "keys" }, ...rows.map(([path, keys]) => make("li", {}, make("b", {}, keysOf(keys)), " ",
    make("a", { href: addressOf({ at: path, time: null }), class: "name", dir: "auto" }, path))))), ...(data.files ? [command] : [])];
};

if (pane) views.push((before, again) => {
  if (["key", "at", "time"].every((name) => state[name] === before[name]) && !again && pane.dataset.shown) return;
  pane.dataset.shown = "yes";
  const key = state.key === undefined ? undefined : known.get(state.key);
  const node = nodeAt(state.at);
  const time = timeOf(state.time);
  const isOpen = time || key !== undefined || state.key === undefined && node !== tree && (node.parent !== tree || inside(tree) !== inside(node));
  $("#fix").classList.toggle("hidden", isOpen);
  pane.classList.toggle("hidden", !isOpen);
  if (!isOpen) { pane.replaceChildren(); return; }
  const name = time ? `${utc(time[0]).replace("T", " ")} – ${utc(time[1]).replace("T", " ")} UTC` : key ? key.name : node.path;
  pane.replaceChildren(make("a", { class: "back", href: addressOf({ at: null, time: null }) }, "‹ " + say("What to fix first")), make("h2", { class: "name", dir: "auto" }, name), ...(time ? timePane(time) : key ? keyPane(key) : nodePane(node)));
  pane.scrollTop = 0;
});
