/* input.js: mouse, keys and panes of the timeline page */

const tip = document.getElementById("tip");

function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined) {
    e.textContent = text;
  }
  if (className) {
    e.className = className;
  }
  return e;
}

function thingOf(thing) {
  const trace = data.traces[thing.trace];
  return thing.call ? trace.calls[thing.index] : trace.ops[thing.index];
}

/* ---- zoom and move ---- */

const limits = [
  Math.min(0, ...data.traces.flatMap((t) => t.calls.slice(0, 1)
    .map((c) => Math.max(c.start, -0.02 * longest)))) - 0.005 * longest,
  longest * 1.01,
];

function setView(t0, t1) {
  const whole = limits[1] - limits[0];
  const span = Math.min(whole, Math.max(10, t1 - t0));
  t0 = Math.min(Math.max(t0, limits[0]), limits[1] - span);
  state.t0 = t0;
  state.t1 = t0 + span;
  redraw();
  listLater();
}

function zoom(factor, at = (state.t0 + state.t1) / 2) {
  const span = (state.t1 - state.t0) * factor;
  const share = (at - state.t0) / (state.t1 - state.t0);
  setView(at - share * span, at + (1 - share) * span);
}

function pan(share) {
  const by = (state.t1 - state.t0) * share;
  setView(state.t0 + by, state.t1 + by);
}

function fit() {
  setView(limits[0], limits[1]);
}

/* ---- panes ---- */

function table(rows) {
  const t = element("table");
  for (const [name, value, className] of rows) {
    const tr = element("tr"), th = element("th", name);
    th.scope = "row";
    tr.append(th, element("td", value, className));
    t.append(tr);
  }
  return t;
}

function callFacts(call) {
  return [
    ["host call", `${call.name} (thread ${call.thread})`],
    ["called at", call.at || "not known"],
    ["call takes", `${timeText(call.end - call.start)} from ` +
      exactText(call.start)],
  ];
}

function opFacts(trace, op) {
  const takes = op.end - op.start;
  const rows = [
    ["operation", `${op.name} (${op.kind}, number ${op.id})`],
    ["where", `GPU ${op.device}, stream ${op.stream}, engine ${op.engine}` +
      (op.kind === "peer" ? `, to GPU ${op.peer}` : "")],
    ["takes", `${timeText(takes)} (${exactText(takes)})`],
    ["from, to", `${exactText(op.start)}, ${exactText(op.end)}`],
  ];
  if (op.bytes) {
    rows.push(["bytes", `${bytesText(op.bytes)} (` +
      `${op.bytes.toLocaleString("en")}), ${rateText(op.bytes, takes)}`]);
  }
  if (op.mem) {
    rows.push(["memory", op.mem]);
  }
  if (op.grid) {
    rows.push(["grid, block", op.grid + ", " + (op.block || "?")]);
  }
  rows.push(["source line", op.at || "not known"]);
  const index = trace.callIndex.get(op.call);
  if (index !== undefined) {
    const call = trace.calls[index];
    rows.push(...callFacts(call), ["starts after the call by",
      timeText(op.start - call.start)]);
  }
  for (const h of trace.hazards) {
    if (op.id === h.firstOp || op.id === h.secondOp) {
      rows.push(["hazard",
        `${h.kind}: ${h.firstAt} and ${h.secondAt}. ${h.why}`, "bad"]);
    }
  }
  return rows;
}

function factsOf(thing) {
  return thing.call ? callFacts(thingOf(thing)) :
    opFacts(data.traces[thing.trace], thingOf(thing));
}

/* The lines around a source line, where the page has the file. */
function sourceOf(thing) {
  const [, file, line] = thingOf(thing).at.match(/^(.*):(\d+)$/) || [];
  const lines = Object.hasOwn(data.sources, file ?? "") ?
    data.sources[file] : null;
  if (!lines) {
    return [];
  }
  const pre = element("pre"), from = Math.max(1, line - 3);
  for (let n = from; n <= Math.min(lines.length, +line + 3); n++) {
    const text = String(n).padStart(5) + "  " + lines[n - 1] + "\n";
    pre.append(n === +line ? element("mark", text) : text);
  }
  return [pre];
}

function select(thing, reveal) {
  state.selected = thing;
  const facts = document.getElementById("facts");
  if (!thing) {
    facts.replaceChildren(element("p", "Nothing selected."));
  } else {
    facts.replaceChildren(table(factsOf(thing)), ...sourceOf(thing));
    const what = thingOf(thing), span = state.t1 - state.t0;
    if (reveal && (what.end < state.t0 || what.start > state.t1)) {
      const middle = (what.start + what.end) / 2;
      setView(middle - span / 2, middle + span / 2);
    }
  }
  redraw();
}

/* Sums of one row within a range: things, time with one or more, bytes. */
function sumRow(row, t0, t1) {
  let busy = 0, until = t0, num = 0, bytes = 0;
  for (let i = firstBeyond(row, t0); i < row.things.length; i++) {
    const thing = row.things[i];
    const from = Math.max(thing.start, t0), to = Math.min(thing.end, t1);
    if (thing.start > t1) {
      break;
    }
    if (to < from || (to === from && thing.end > thing.start)) {
      continue;
    }
    num++;
    busy += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
    if (thing.bytes && thing.end > thing.start) {
      bytes += thing.bytes * (to - from) / (thing.end - thing.start);
    }
  }
  return {num, busy, bytes};
}

function setRange(a, b) {
  const pane = document.getElementById("range");
  if (a === null || a === b) {
    state.range = null;
    pane.replaceChildren(element("p", "None."));
    redraw();
    listLater();
    return;
  }
  const [t0, t1] = state.range = [Math.min(a, b), Math.max(a, b)];
  const t = element("table"), head = element("tr");
  ["row", "count", "busy", "", "bytes", "rate"].forEach((name, i) => {
    head.append(element("th", name, i ? "n" : ""));
  });
  t.append(head);
  for (const row of state.rows) {
    const sum = sumRow(row, t0, t1), tr = element("tr");
    const name = data.traces.length > 1 ?
      `${data.traces[row.trace].title}: ${row.label}` : row.label;
    tr.append(element("td", name), element("td", sum.num, "n"),
      element("td", timeText(sum.busy), "n"),
      element("td", (100 * sum.busy / (t1 - t0)).toFixed(1) + "%", "n"),
      element("td", sum.bytes ? bytesText(Math.round(sum.bytes)) : "-", "n"),
      element("td", sum.bytes ? rateText(sum.bytes, sum.busy) : "-", "n"));
    t.append(tr);
  }
  pane.replaceChildren(element("p", `${timeText(t1 - t0)}: ` +
    `${exactText(t0)} to ${exactText(t1)}`), t);
  redraw();
  listLater();
}

const list = document.getElementById("list");
let listTimer = 0;

function listLater() {
  clearTimeout(listTimer);
  listTimer = setTimeout(fillList, 250);
}

function fillList() {
  if (!list.open) {
    return;
  }
  const [t0, t1] = state.range || [state.t0, state.t1];
  const t = element("table"), head = element("tr");
  let left = 500;
  ["run", "operation", "kind", "stream", "start", "takes", "bytes", "source"]
    .forEach((name) => head.append(element("th", name)));
  t.append(head);
  data.traces.forEach((trace) => trace.ops.forEach((op) => {
    if (op.end < t0 || op.start > t1 || left-- <= 0) {
      return;
    }
    const tr = element("tr");
    for (const text of [trace.title, op.name, op.kind, op.stream,
      exactText(op.start), exactText(op.end - op.start),
      op.bytes ? bytesText(op.bytes) : "", op.at]) {
      tr.append(element("td", text));
    }
    t.append(tr);
  }));
  document.getElementById("list-body").replaceChildren(t,
    ...(left < 0 ? [element("p", `${-left} more; select a range`)] : []));
}

list.addEventListener("toggle", fillList);

/* ---- mouse ---- */

function thingAt(x, y) {
  for (const row of state.rows) {
    if (y < row.y || y > row.y + row.height || x < state.left) {
      continue;
    }
    const lane = Math.min(row.lanes - 1, Math.floor((y - row.y) / row.step));
    const t = tOf(x), slack = 3 * (state.t1 - state.t0) / plotWidth();
    let best = -1, distance = slack;
    for (let i = firstBeyond(row, t - slack); i < row.things.length; i++) {
      const thing = row.things[i];
      const off = Math.max(thing.start - t, t - thing.end, 0);
      if (thing.start > t + slack) {
        break;
      }
      if (row.lane[i] === lane && off < distance) {
        best = i;
        distance = off;
        if (off === 0) {
          break;
        }
      }
    }
    if (best >= 0) {
      return {trace: row.trace, call: row.call, index: row.items[best]};
    }
  }
  return null;
}

function showTip(thing, x, y) {
  tip.hidden = !thing;
  if (!thing) {
    return;
  }
  tip.textContent = factsOf(thing).map(([n, v]) => `${n}: ${v}`).join("\n");
  const room = canvas.clientWidth - tip.offsetWidth - 4;
  tip.style.left = Math.max(0, Math.min(x + 14, room)) + "px";
  tip.style.top = y + 18 + "px";
}

let drag = null;

function place(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left - 1, event.clientY - box.top - 1];
}

canvas.addEventListener("pointerdown", (event) => {
  const [x, y] = place(event);
  if (event.button === 0) {
    drag = {x, y, t0: state.t0, t1: state.t1, moved: false,
      from: event.shiftKey || y > state.axisY ? tOf(x) : null};
    canvas.setPointerCapture(event.pointerId);
  }
});

canvas.addEventListener("pointermove", (event) => {
  const [x, y] = place(event);
  if (!drag) {
    showTip(thingAt(x, y), x, y);
    return;
  }
  drag.moved = drag.moved || Math.abs(x - drag.x) > 3;
  if (!drag.moved) {
    return;
  }
  tip.hidden = true;
  if (drag.from !== null) {
    setRange(drag.from, tOf(x));
  } else {
    const by = (drag.x - x) / plotWidth() * (drag.t1 - drag.t0);
    setView(drag.t0 + by, drag.t1 + by);
  }
});

canvas.addEventListener("pointerup", (event) => {
  const [x, y] = place(event);
  if (drag && !drag.moved) {
    select(thingAt(x, y));
  }
  drag = null;
});

canvas.addEventListener("pointercancel", () => {
  drag = null;
});
canvas.addEventListener("pointerleave", () => {
  tip.hidden = true;
});
canvas.addEventListener("dblclick", fit);
canvas.addEventListener("wheel", (event) => {
  if (event.altKey || event.ctrlKey) {
    return;
  }
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    pan(event.deltaX / plotWidth());
  } else {
    zoom(Math.exp(event.deltaY * 0.0015), tOf(place(event)[0]));
  }
}, {passive: false});

/* ---- keys and buttons ---- */

function step(by) {
  const now = state.selected && placeOf(state.selected);
  const row = now ? now.row : state.rows.find((r) => !r.call) ||
    state.rows[0];
  if (!row) {
    return;
  }
  const i = now ? Math.min(row.items.length - 1, Math.max(0, now.i + by)) : 0;
  select({trace: row.trace, call: row.call, index: row.items[i]}, true);
}

/* To the thing in the next row that is nearest in time. */
function stepRow(by) {
  const now = state.selected && placeOf(state.selected);
  if (!now) {
    step(0);
    return;
  }
  const row = state.rows[state.rows.indexOf(now.row) + by];
  if (row) {
    const i = Math.min(row.items.length - 1,
      firstBeyond(row, now.row.things[now.i].start));
    select({trace: row.trace, call: row.call, index: row.items[i]}, true);
  }
}

function zoomToSelected() {
  if (state.selected) {
    const what = thingOf(state.selected);
    const slack = Math.max(10, what.end - what.start);
    setView(what.start - slack, what.end + slack);
  }
}

function follow() {
  const partner = state.selected && partnerOf(state.selected);
  if (partner) {
    if (partner.call && !state.host) {
      actions.host();
    }
    select(partner, true);
  }
}

function rangeEdge(end) {
  if (state.selected) {
    const what = thingOf(state.selected);
    const [a, b] = state.range || [what.start, what.end];
    setRange(end ? a : what.start, end ? what.end : b);
  }
}

function button(name) {
  return document.querySelector(`[data-do="${name}"]`);
}

const actions = {
  in: () => zoom(0.6),
  out: () => zoom(1 / 0.6),
  fit,
  by() {
    state.by = state.by === "engine" ? "stream" : "engine";
    relay();
  },
  host() {
    state.host = !state.host;
    button("host").setAttribute("aria-pressed", state.host);
    relay();
  },
  help() {
    const help = document.getElementById("help");
    help.hidden = !help.hidden;
    button("help").setAttribute("aria-expanded", !help.hidden);
  },
};

function relay() {
  layOut();
  document.getElementById("by").textContent = state.by + "s";
  if (state.range) {
    setRange(...state.range);
  }
  redraw();
}

const keys = {
  "+": actions.in, "=": actions.in, "-": actions.out, "0": fit,
  a: () => pan(-0.25), d: () => pan(0.25), r: actions.by, h: actions.host,
  "?": actions.help, c: follow, Enter: zoomToSelected,
  ArrowLeft: () => step(-1), ArrowRight: () => step(1),
  ArrowUp: () => stepRow(-1), ArrowDown: () => stepRow(1),
  "[": () => rangeEdge(false), "]": () => rangeEdge(true),
  Escape() {
    select(null);
    setRange(null);
  },
};

canvas.addEventListener("keydown", (event) => {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (keys[key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    keys[key]();
  }
});

for (const name of Object.keys(actions)) {
  button(name).addEventListener("click", actions[name]);
}
for (const id of ["tools", "frame", "panes", "list"]) {
  document.getElementById(id).hidden = false;
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readColors();
  redraw();
});
new ResizeObserver(redraw).observe(canvas.parentElement);
readColors();
relay();
fit();
