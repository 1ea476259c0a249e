/* sweep_view.js: time against the number of streams, as a table and a picture
 *
 * Reads the points that `grade --sweep` prints; tools/sweep draws the same in
 * the terminal. */
import {make} from "./dom.js";

/** The points of a sweep: {device, points: [{streams, gpus, ns, serial, bound,
 * entries}]} */
export function readSweep(text) {
  const points = [];
  let device = "";
  for (const line of text.split("\n")) {
    const value = (key) =>
      +(line.match(new RegExp(` ${key}=(\\d+)`))?.[1] ?? 0);
    if (line.startsWith("device ")) {
      device = line.replace(/.* name=/, "");
    } else if (line.startsWith("point ")) {
      points.push({streams: value("streams"), gpus: value("gpus"),
        ns: value("student_ns"), serial: value("serial_ns"),
        bound: value("bound_ns"), entries: value("entries")});
    }
  }
  return {device, points};
}

const ms = (ns) => (ns / 1e6).toFixed(3) + " ms";

function tableOf({points}, best) {
  const several = points[0].gpus > 0;
  const last = points.at(-1);
  const row = (cells, name) => make("tr", {class: name},
    ...cells.map((cell, i) => make(i ? "td" : "th", {class: "n",
      scope: i ? null : "row"}, cell)));
  return make("table", {}, make("thead", {}, make("tr", {},
    ...[...several ? ["GPUs"] : [], "streams", "time", "speed", ""]
      .map((t) => make(t ? "th" : "td", {class: "n", scope: t ? "col" : null},
        t)))),
  make("tbody", {}, ...points.map((p) => row([
    ...several ? [p.gpus] : [], p.streams, ms(p.ns),
    (last.serial / p.ns).toFixed(2) + "x", p === best ? "best" : ""],
  p === best ? "best" : "")),
  row([...several ? [""] : [], "limit", ms(last.bound),
    (last.serial / last.bound).toFixed(2) + "x", ""], "limit")));
}

function svg(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    e.setAttribute(key, value);
  }
  e.textContent = text ?? "";
  return e;
}

/* A step of 1, 2 or 5 times a power of ten, so that there are 3 to 7. */
function stepOf(most) {
  const power = 10 ** Math.floor(Math.log10(most / 3));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => most / s <= 7);
}

function pictureOf({device, points}, best) {
  const {serial, bound} = points.at(-1);
  const top = Math.max(serial, ...points.map((p) => p.ns)) * 1.08;
  const streams = [...new Set(points.map((p) => p.streams))];
  const x = (p) => 80 + streams.indexOf(p.streams) *
    (540 / Math.max(1, streams.length - 1));
  const y = (ns) => 330 - ns / top * 290;
  const picture = svg("svg", {viewBox: "0 0 830 400", role: "img",
    class: "sweep", "aria-label": `Time against streams on ${device}; the ` +
    "table has the same figures"});
  const say = (px, py, name, text) => picture.append(
    svg("text", {x: px, y: py, class: name}, text));
  const step = stepOf(top / 1e6);
  for (let t = 0; t * 1e6 <= top; t += step) {
    picture.append(svg("path", {class: "grid", d: `M80 ${y(t * 1e6)}H680`}));
    say(72, y(t * 1e6) + 4, "end", `${+t.toPrecision(3)} ms`);
  }
  for (const [ns, name, words] of [[serial, "serial", "no overlap"],
    [bound, "bound", "limit"]]) {
    picture.append(svg("path", {class: name, d: `M80 ${y(ns)}H680`}));
    say(688, y(ns) + 4, "", `${(ns / 1e6).toFixed(3)} ${words}`);
  }
  picture.append(svg("path", {class: "line", d: points.map((p, i) =>
    (i && p.gpus === points[i - 1].gpus ? "L" : "M") + x(p) + " " + y(p.ns))
    .join("")}));
  for (const p of points) {
    const dot = svg("circle", {class: "dot", cx: x(p), cy: y(p.ns), r: 4.5});
    dot.append(svg("title", {}, `${p.streams} streams: ${ms(p.ns)}`));
    picture.append(dot);
  }
  streams.forEach((s) => say(x({streams: s}), 352, "middle", s));
  say(x(best), y(best.ns) - 12, "middle", `best: ${ms(best.ns)}`);
  say(350, 384, "middle", points[0].gpus ? "streams of each GPU" : "streams");
  return picture;
}

/** @param text the points; @param who whose file it is */
export function sweepView(text, who) {
  const sweep = readSweep(text), {points} = sweep;
  if (!points.length) {
    return make("p", {class: "bad"},
      "Nothing was measured. " + text.split("\n")[0]);
  }
  const best = points.reduce((a, b) => b.ns < a.ns ? b : a);
  return make("div", {class: "sweep"}, make("p", {},
    `${who} on ${sweep.device}: ${points.at(-1).entries} entries`),
  make("div", {class: "scroll", tabindex: "0", role: "region",
    "aria-label": "times"}, tableOf(sweep, best)),
  pictureOf(sweep, best));
}
