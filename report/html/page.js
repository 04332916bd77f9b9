"use strict";
// What the other scripts share: elements, figures, texts in two languages, and the state of
// the page, which is its URL. The files are one script, in the order of out_html.go.
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
const root = document.documentElement;
const data = JSON.parse($("#data").textContent);
root.classList.add("js");

// say returns a text of the script in the language of the page.
const say = (text, n = "") => (root.lang === "zh" && data.zh[text] || text).replace("{n}", n);

// make returns an element. Attributes that are null are left out, children are text or nodes.
const svgNames = new Set(["svg", "rect", "circle", "path", "title", "g", "line"]);
const make = (name, attributes = {}, ...children) => {
  const svg = svgNames.has(name) || attributes.svg;
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) if (v !== null && k !== "svg") e.setAttribute(k, v);
  e.append(...children);
  return e;
};

// Figures as in the rest of the report.
const units = ["B", "KB", "MB", "GB", "TB", "PB"];
const bytes = (n) => {
  let unit = 0;
  while (n >= 1023.5 && unit < units.length - 1) { n /= 1024; unit++; }
  const shown = unit > 0 && n < 99.95 ? n.toFixed(1).replace(/\.0$/, "") : count(Math.round(n));
  return shown + " " + units[unit];
};
const grouped = new Intl.NumberFormat("en-US");
const count = (n) => grouped.format(n);
const percent = (share) => share > 0 && share < 0.001 ? "<0.1%" : (share < 10 ? (share * 100).toFixed(1) : count(Math.round(share * 100))) + "%";
const duration = (s) => {
  if (s < 0) return say("expired");
  if (s >= 86400) return say("{n}d", Math.floor(s / 86400));
  if (s >= 3600) return say("{n}h", Math.floor(s / 3600));
  return s >= 60 ? say("{n}m", Math.floor(s / 60)) : say("{n}s", s);
};
const keysOf = (n) => n === 1 ? say("1 key") : say("{n} keys", count(n));

// figureOf returns the number that a cell shows, of two the last: "3.8 MB", "1,024", "12.5%", "3d 4h", "1 -> 2".
const scale = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40, PB: 2 ** 50, d: 86400, h: 3600, m: 60, s: 1 };
const figureOf = (cell) => {
  if (cell === "") return -Infinity;
  let sum = 0;
  for (const [, number, unit] of cell.replace(/.* -> /, "").replaceAll(",", "").matchAll(/([\d.]+) ?([A-Za-z]*)/g)) sum += Number(number) * (scale[unit] ?? 1);
  return /^-| ago$/.test(cell) ? -sum : sum;
};
// english returns the text of a cell whatever language is shown.
const english = (cell) => ($(".en", cell) ?? cell).textContent;

// The state is what stands behind # in the URL: at, the prefix that the map shows; key, a key;
// q, what is searched; size and color of the map; to, the part of the page; by the name of a
// table its order and page. A link to a part is its name alone.
const noState = {};
let state = noState;
const stateOf = (hash) => {
  if (hash.includes("=")) return Object.fromEntries(new URLSearchParams(hash));
  return hash ? { to: new URLSearchParams("to=" + hash).get("to") } : {};
};
// addressOf returns the URL of the page with changes; null removes.
const addressOf = (changes) => {
  const next = { ...state, key: null, to: null, time: null, ...changes };
  return "#" + new URLSearchParams(Object.entries(next).filter(([, v]) => v !== null && v !== undefined && v !== ""));
};
const go = (changes) => { location.hash = addressOf(changes); };
// goQuietly does not add to the history.
const goQuietly = (changes) => location.replace(addressOf(changes));

// Each view is a function of the state before and after a change, and whether anything else
// has changed, such as the language.
const views = [];
const update = (again = false) => {
  const before = state;
  state = stateOf(location.hash.slice(1));
  for (const view of views) view(before, again);
};

// Links to parts, and those of tables, keep the rest of the state.
document.addEventListener("click", (e) => {
  const link = e.target.closest("#contents a, td a[href^='#'], #fix a[href^='#']");
  if (!e.target.closest("#contents summary")) $("#contents details")?.removeAttribute("open");
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const wanted = stateOf(link.getAttribute("href").slice(1));
  if (wanted.to && state.to === wanted.to) show(wanted.to);
  else go(wanted);
});
const show = (to) => {
  const part = document.getElementById(to);
  if (!part) return;
  if (part.tagName === "DETAILS") part.open = true;
  if (to === "fix") scrollTo(0, 0);
  else part.scrollIntoView();
};
views.push((before) => { if (state.to && state.to !== before.to) show(state.to); });

// Copy buttons of commands.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button.copy");
  if (!button) return;
  const command = $("pre, code", button.parentElement);
  const done = () => {
    const label = [...button.childNodes];
    button.textContent = say("Copied");
    setTimeout(() => button.replaceChildren(...label), 1500);
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

// The other language: texts stand in both, attributes and options have the other one
// beside them.
$("#language").addEventListener("click", ({ target }) => {
  for (const e of $$("[data-other]")) {
    const now = e.ariaLabel ?? e.textContent;
    if (e.ariaLabel === null) e.textContent = e.dataset.other;
    else e.ariaLabel = e.dataset.other;
    if (e.placeholder) e.placeholder = e.dataset.other;
    e.dataset.other = now;
  }
  root.lang = root.lang === "zh" ? "en" : "zh";
  target.textContent = root.lang === "zh" ? "English" : "中文";
  update(true);
});

// The theme is that of the system until the button chooses the other one.
const dark = matchMedia("(prefers-color-scheme: dark)");
$("#theme").addEventListener("click", () => {
  root.dataset.theme = (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
});

// A bar that is higher than expected, as on a phone, hides no heading.
new ResizeObserver(([bar]) => root.style.setProperty("--bar", Math.round(bar.target.offsetHeight) + "px")).observe($("#bar"));

// The first screen ends where the window does.
const first = $(".first");
if (first) new ResizeObserver(() => root.style.setProperty("--above", Math.round(first.offsetTop + 14) + "px")).observe($("main"));

let wasOpen = [];
addEventListener("beforeprint", () => { wasOpen = $$("details:not(#passed):not([open])"); wasOpen.forEach((d) => { d.open = true; }); });
addEventListener("afterprint", () => wasOpen.forEach((d) => { d.open = false; }));
