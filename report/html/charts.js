// Charts, drawn for the width that they have.
const chart = (width, height, label, ...children) => make("svg", { viewBox: `0 0 ${width} ${height}`, class: "drawn", role: "img", "aria-label": label }, ...children);
const label = (x, y, s, anchor) => make("text", { svg: true, x, y, "text-anchor": anchor }, s);

// Big keys by size and elements: sizes in steps of 16 times, elements in powers of ten.
const drawScatter = () => {
  const box = $("#scatter");
  const points = keyRows.filter((k) => k.cells.elements && k.size > 0).map((k) => ({ k, x: Math.log10(Math.max(1, figureOf(english(k.cells.elements)))), y: Math.log2(k.size) / 4 }));
  if (points.length < 5) { box.remove(); return; }
  const [width, height, left, bottom] = [box.clientWidth || 1000, 260, 60, 24];
  const range = (f) => [Math.floor(Math.min(...points.map(f))), Math.ceil(Math.max(...points.map(f)) + 0.01)];
  const [[x0, x1], [y0, y1]] = [range((p) => p.x), range((p) => p.y)];
  const x = (v) => left + (v - x0) / (x1 - x0) * (width - left - 30);
  const y = (v) => height - bottom - (v - y0) / (y1 - y0) * (height - bottom - 10);
  const svg = chart(width, height, say("Keys by size and elements"));
  for (let n = x0; n <= x1; n++) svg.append(make("path", { class: "grid", d: `M${x(n)} ${y(y0)}V${y(y1)}` }), label(x(n), height - 6, count(10 ** n), "middle"));
  for (let n = y0; n <= y1; n++) svg.append(make("path", { class: "grid", d: `M${x(x0)} ${y(n)}H${x(x1)}` }), label(left - 6, y(n) + 4, bytes(16 ** n), "end"));
  for (const p of points) {
    const type = p.k.cells.type?.textContent;
    const dot = make("circle", { cx: x(p.x), cy: y(p.y), r: 5, class: typeNames.includes(type) ? "t-" + type : "t-other" },
      make("title", {}, `${p.k.name}\n${bytes(p.k.size)}, ${p.k.cells.elements.textContent} ${say("elements")}`));
    dot.addEventListener("click", () => go({ key: p.k.name }));
    svg.append(dot);
  }
  box.replaceChildren(svg, make("figcaption", { class: "dim" }, say("A dot is one of the biggest keys: upwards its size, to the right its elements.")));
};

// The keys that expire, from the time of the snapshot on: a batch is a spike.
const spans = { 600: () => say("the next 24 hours"), 21600: () => say("the next 30 days"), 604800: () => say("the next 2 years") };
const drawTimes = () => {
  const boxes = [];
  const room = $("#timeline").clientWidth || 1000;
  const end = (t) => t.from + t.keys.length * t.step_seconds;
  const last = (t) => t.from + t.keys.findLastIndex(Boolean) * t.step_seconds;
  const times = data.times.filter((t, i, all) => t.keys.some(Boolean) && (!i || last(t) >= end(all[i - 1]))); // no longer ones than needed
  const columns = Math.max(1, Math.min(times.length, Math.floor((room + 24) / 404)));
  for (const { from, step_seconds: step, keys } of times) {
    const [width, height, bottom] = [(room - 24 * (columns - 1)) / columns, 130, 20];
    const most = Math.max(...keys);
    const at = keys.indexOf(most);
    const each = width / keys.length;
    const svg = chart(width, height, `${say("Keys that expire")}, ${spans[step]()}`);
    let path = "";
    keys.forEach((n, i) => {
      const h = n ? Math.max(1, n / most * (height - bottom - 18)) : 0;
      if (h) path += `M${(i * each).toFixed(1)} ${height - bottom}v${-h.toFixed(1)}h${Math.max(1, each - 0.7).toFixed(1)}v${h.toFixed(1)}z`;
    });
    const day = (seconds) => new Date(seconds * 1000).toISOString().slice(...(step < 3600 ? [11, 16] : [0, 10])).replace("T", " ");
    svg.append(make("path", { class: "grid", d: `M0 ${height - bottom}H${width}` }), make("path", { class: "bars", d: path }), label(0, height - 5, day(from), "start"), label(width, height - 5, day(from + step * keys.length), "end"));
    const left = at < keys.length / 2;
    svg.append(label((left ? at : at + 1) * each, 11, `${keysOf(most)}, ${new Date((from + at * step) * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`, left ? "start" : "end"));
    // Each bar is a link; of the first day each hour is one.
    const links = make("div", { class: "bars-links", role: "group", "aria-label": spans[step]() });
    const add = (n, from, until, x, width) => {
      if (!n) return;
      const a = make("a", { href: addressOf({ time: `${from}-${until}`, at: null }), tabindex: links.children.length ? -1 : 0, title: `${utc(from).slice(0, 16).replace("T", " ")} UTC: ${keysOf(n)}`,
        "aria-label": `${utc(from).slice(0, 16).replace("T", " ")} UTC, ${keysOf(n)}` });
      Object.assign(a.style, { left: x * 100 + "%", width: width * 100 + "%" });
      links.append(a);
    };
    if (step === 600 && data.hours) for (const h of data.hours) add(h.keys, h.from, h.until, (h.from - from) / (step * keys.length), 1 / 24);
    else keys.forEach((n, i) => add(n, from + i * step, from + (i + 1) * step, i / keys.length, 1 / keys.length));
    links.addEventListener("keydown", (e) => {
      const next = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[e.key];
      if (!next || !document.activeElement[next]) return;
      e.preventDefault();
      document.activeElement.tabIndex = -1;
      document.activeElement[next].tabIndex = 0;
      document.activeElement[next].focus();
    });
    boxes.push(make("div", {}, make("h3", {}, spans[step]()), make("div", { class: "bars-box" }, svg, links)));
  }
  $("#timeline").replaceChildren(make("div", { class: "times" }, ...boxes));
};

// Figures over time, with the limit and what is expected.
const drawTrend = (box, { times, memory, names, values, limit, ahead }) => {
  const [width, height, left, bottom] = [box.clientWidth || 1000, 240, 68, 22];
  const figure = (n) => memory ? bytes(n) : count(Math.round(n));
  const [first, last] = [times[0], times[times.length - 1]];
  const end = Math.max(last, Math.min(ahead?.at(-1)?.time ?? 0, 2 * last - first)); // as much again as was observed at most
  const most = Math.max(1, limit ?? 0, ...values.flat());
  const unit = memory ? 1024 ** Math.floor(Math.log(Math.max(1, most / 4)) / Math.log(1024)) : 1;
  const tens = 10 ** Math.floor(Math.log10(Math.max(1, most / 4 / unit)));
  const step = unit * tens * [1, 2, 5, 10].find((n) => n * tens * unit * 4 >= most);
  const top = Math.ceil(most / step) * step;
  const x = (time) => left + (time - first) / Math.max(1, end - first) * (width - left - 12);
  const y = (n) => height - bottom - n / top * (height - bottom - 14);
  const svg = chart(width, height, $("h2", box.parentElement).textContent);
  for (let n = 0; n <= top; n += step) svg.append(make("path", { class: "grid", d: `M${left} ${y(n)}H${width - 12}` }), label(left - 6, y(n) + 4, figure(n), "end"));
  const days = (time) => new Date(time * 1000).toISOString().slice(0, 10);
  svg.append(label(left, height - 5, days(first), "start"));
  if (end > first) svg.append(label(width - 12, height - 5, days(end), "end"));
  if (limit) svg.append(make("path", { class: "limit trace", d: `M${left} ${y(limit)}H${width - 12}` }), label(width - 12, y(limit) - 4, `maxmemory ${figure(limit)}`, "end"));
  if (ahead?.length > 1) {
    const [from, to] = [ahead[0], ahead.at(-1)];
    const at = from.bytes + (to.bytes - from.bytes) * (end - from.time) / Math.max(1, to.time - from.time);
    svg.append(make("path", { class: "l1 trace ahead", d: `M${x(from.time)} ${y(from.bytes)}L${x(end)} ${y(at)}` }));
  }
  const color = (i) => "l" + ({ error: 6, warning: 3, info: 1 }[names[i][0]] ?? i + 1);
  const every = Math.ceil(times.length / 100);
  values.forEach((line, i) => {
    let path = "";
    const dots = [];
    line.forEach((n, at) => {
      if (n === null || (times.length - 1 - at) % every) return;
      path += (path && line[at - every] !== null ? "L" : "M") + `${x(times[at]).toFixed(1)} ${y(n).toFixed(1)}`;
      dots.push(make("circle", { class: color(i), cx: x(times[at]), cy: y(n), r: 3 }, make("title", {}, `${days(times[at])}: ${names[i][root.lang === "zh" ? 1 : 0]} ${figure(n)}`)));
    });
    svg.append(make("path", { class: color(i) + " trace", d: path }), ...dots);
  });
  box.replaceChildren(svg, make("ul", { class: "legend" }, ...names.map((name, i) => make("li", {}, make("svg", { "aria-hidden": "true" }, make("rect", { class: color(i), width: 12, height: 12 })), name[root.lang === "zh" ? 1 : 0]))));
};

const drawCharts = () => {
  if (data.times && $("#timeline")) drawTimes();
  if ($("#scatter")) drawScatter();
  data.charts?.forEach((c, i) => drawTrend($("#chart-" + i), c));
};
let chartWidth = 0;
new ResizeObserver(() => {
  if (chartWidth && chartWidth !== innerWidth) drawCharts();
  chartWidth = innerWidth;
}).observe($("main"));
views.push((before, again) => { if (again || before === noState) drawCharts(); });
