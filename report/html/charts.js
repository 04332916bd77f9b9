// Big keys by size and elements, both in powers of ten.
const drawScatter = () => {
  const box = $("#scatter");
  const points = keyRows.map((k) => ({ k, x: Math.log10(Math.max(1, figureOf(english(k.cells.elements ?? k.row.cells[0])))), y: Math.log10(Math.max(1, k.size)) })).filter((p) => p.x >= 0 && p.y > 0);
  if (!box || points.length < 5) { box?.remove(); return; }
  const [width, height, left, bottom] = [1000, 260, 60, 24];
  const most = (f) => Math.ceil(Math.max(...points.map(f)) + 0.01);
  const least = (f) => Math.floor(Math.min(...points.map(f)));
  const [x0, x1, y0, y1] = [least((p) => p.x), most((p) => p.x), least((p) => p.y), most((p) => p.y)];
  const x = (v) => left + (v - x0) / (x1 - x0) * (width - left - 10);
  const y = (v) => height - bottom - (v - y0) / (y1 - y0) * (height - bottom - 10);
  const text = (x, y, s, anchor) => make("text", { svg: true, x, y, "text-anchor": anchor }, s);
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, class: "scatter", role: "img", "aria-label": say("Keys by size and elements") });
  for (let n = x0; n <= x1; n++) svg.append(make("path", { class: "grid", d: `M${x(n)} ${y(y0)}V${y(y1)}` }), text(x(n), height - 6, count(10 ** n), "middle"));
  for (let n = y0; n <= y1; n++) svg.append(make("path", { class: "grid", d: `M${x(x0)} ${y(n)}H${x(x1)}` }), text(left - 6, y(n) + 4, bytes(10 ** n), "end"));
  for (const p of points) {
    const type = p.k.cells.type?.textContent;
    const dot = make("circle", { cx: x(p.x), cy: y(p.y), r: 5, class: typeNames.includes(type) ? "t-" + type : "t-other" }, make("title", {}, `${p.k.name}\n${bytes(p.k.size)}, ${p.k.cells.elements?.textContent ?? ""} ${say("elements")}`));
    dot.addEventListener("click", () => go({ key: p.k.name }));
    svg.append(dot);
  }
  box.replaceChildren(svg, make("figcaption", { class: "dim" }, say("A dot is one of the biggest keys: upwards its size, to the right its elements.")));
};
views.push((before, again) => { if (again || !$("#scatter svg")) drawScatter(); });
