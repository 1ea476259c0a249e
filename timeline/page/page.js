/* page.js: data and drawing of the timeline page */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("canvas");
const LANE = 22, THIN = 12, ROW_GAP = 6, HEAD = 30, AXIS = 28, MAX_LANES = 16,
  MAX_ARROWS = 24, MAX_WAITS = 300;

/* What the page shows now. A thing is {trace, call, range, index}: a call, a
 * range that the program named, or an operation of one trace. */
const state = {
  by: data.by, host: true, waits: false, path: false, t0: 0, t1: 1,
  width: 800, selected: null, range: null, rows: [], height: 0,
  pinned: new Set(), pinY: null, found: null, pointer: null,
};

/* The first array of a list has the names of the places of the others. */
function named([names, ...rows]) {
  return rows.map((row) => {
    const thing = {};
    names.forEach((name, i) => { thing[name] = row[i]; });
    return thing;
  });
}

/* Give what the arrays hold its names, and calls a place to be found. */
for (const trace of data.traces) {
  for (const list of ["ops", "calls", "hazards", "streams", "events", "waits",
    "ranges"]) {
    trace[list] = named(trace[list]);
  }
  trace.opIndex = new Map(trace.ops.map((o, i) => [o.id, i]));
  trace.callIndex = new Map(trace.calls.map((c, i) => [c.id, i]));
  trace.opsOfCall = new Map();
  trace.ops.forEach((o, i) => {
    if (o.call && !trace.opsOfCall.has(o.call)) {
      trace.opsOfCall.set(o.call, i);
    }
  });
}

function listOf(thing) {
  const trace = data.traces[thing.trace];
  return thing.call ? trace.calls : thing.range ? trace.ranges : trace.ops;
}

function thingOf(thing) {
  return listOf(thing)[thing.index];
}

const longest = Math.max(1, ...data.traces.map((t) => t.span));

/* ---- words ---- */

function timeText(ns) {
  const a = Math.abs(ns);
  const [unit, size] = a >= 1e9 ? ["s", 1e9] : a >= 1e6 ? ["ms", 1e6] :
    a >= 1e3 ? ["\u00b5s", 1e3] : ["ns", 1];
  return size === 1 ? ns + " ns" : (ns / size).toPrecision(4) + " " + unit;
}

function exactText(ns) {
  return Math.round(ns).toLocaleString("en") + " ns";
}

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (bytes >= 1024 && i < 4) {
    bytes /= 1024;
    i++;
  }
  return (Number.isInteger(bytes) ? bytes : bytes.toPrecision(4)) + " " +
    units[i];
}

function rateText(bytes, ns) {
  return ns > 0 ? (bytes / ns).toPrecision(3) + " GB/s" : "-";
}

/* ---- rows ---- */

/* Spread things that overlap over lanes; fill in what finds the first one
 * that reaches beyond a time. */
function layRow(row) {
  const until = [];
  let reach = -Infinity;
  row.lane = new Uint8Array(row.items.length);
  row.reach = new Float64Array(row.items.length);
  row.things = row.items.map((i) => row.source[i]);
  row.things.forEach((thing, i) => {
    let lane = until.findIndex((t) => t <= thing.start);
    if (lane < 0) {
      lane = Math.min(until.length, MAX_LANES - 1);
    }
    until[lane] = Math.max(until[lane] ?? -Infinity, thing.end);
    row.lane[i] = lane;
    row.reach[i] = reach = Math.max(reach, thing.end);
  });
  row.lanes = Math.max(1, until.length);
}

/* Rows of what host threads did: calls, or ranges that they named. */
function threadRows(trace, t, source, kind, name) {
  const threads = new Map();
  const order = source.map((c, i) => i)
    .sort((a, b) => source[a].start - source[b].start);
  for (const i of order) {
    const thread = source[i].thread;
    if (!threads.has(thread)) {
      threads.set(thread, []);
    }
    threads.get(thread).push(i);
  }
  return [...threads].sort((a, b) => a[0] - b[0]).map(([thread, items]) => ({
    trace: t, [kind]: true, items, source,
    label: threads.size > 1 ? name + " thread " + thread : name,
  }));
}

function rowsOf(trace, t) {
  const rows = state.host ? [
    ...threadRows(trace, t, trace.ranges, "range", "Ranges"),
    ...threadRows(trace, t, trace.calls, "call", "Host")] : [];
  for (const row of trace[state.by]) {
    const first = trace.ops[row.ops[0]];
    const gpu = trace.manyDevices ? `GPU ${first.device} ` : "";
    rows.push({trace: t, items: row.ops, source: trace.ops, busy: row.busy,
      label: state.by === "engine" ? row.label :
        gpu + streamLabel(trace, first)});
  }
  return rows.map((row) => ({...row, key: t + " " + row.label}));
}

/* Where rows of several runs stand together. */
function longLabel(row) {
  return data.traces.length > 1 ?
    `${data.traces[row.trace].title}: ${row.label}` : row.label;
}

/* Pinned rows of all runs stand above all others, one below the other. */
function layOut() {
  let y = 4;
  const all = data.traces.map(rowsOf);
  const put = (row) => {
    layRow(row);
    row.step = row.lanes > 1 || row.call || row.range ? THIN + 2 : LANE;
    row.y = y;
    row.height = row.step * row.lanes;
    y += row.height + ROW_GAP;
    state.rows.push(row);
  };
  const pinned = all.flat().filter((row) => state.pinned.has(row.key));
  state.rows = [];
  state.pinY = pinned.length ? y : null;
  if (pinned.length) {
    y += HEAD;
    for (const row of pinned) {
      put({...row, label: longLabel(row)});
    }
    y += 8;
  }
  data.traces.forEach((trace, t) => {
    trace.y = y;
    y += HEAD;
    all[t].filter((row) => !state.pinned.has(row.key)).forEach(put);
    y += 8;
  });
  state.axisY = y;
  state.height = y + AXIS;
  setLeft();
}

/* Room for the names of rows, and on a phone for something else, too. */
function setLeft() {
  const letters = Math.max(4, ...state.rows.map((r) => r.label.length));
  state.left = Math.min(220, 0.28 * state.width, 20 + letters * 7.6);
}

/* First position in a row whose things reach beyond t. */
function firstBeyond(row, t) {
  let low = 0, high = row.reach.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.reach[middle] < t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* ---- drawing ---- */

const colors = {};

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["bg", "text", "muted", "grid", "lane", "focus", "bad",
    "in-bar", "range", "call", "h2d", "h2d-odd", "sm", "sm-odd", "d2h",
    "d2h-odd", "copy", "copy-odd", "peer", "peer-odd", "host", "host-odd"]) {
    colors[name] = style.getPropertyValue("--" + name).trim();
  }
}

function plotWidth() {
  return state.width - state.left - 56;
}

function xOf(t) {
  return state.left + (t - state.t0) / (state.t1 - state.t0) * plotWidth();
}

function tOf(x) {
  return state.t0 + (x - state.left) / plotWidth() * (state.t1 - state.t0);
}

function barText(row, thing) {
  if (row.call || row.range) {
    return thing.name.replace(/^cuda/, "");
  }
  return state.by === "engine" ?
    String(thing.stream) :
    {h2d: "H", d2h: "D", kernel: "K", d2d: "C", peer: "P", memset: "M",
      hostfn: "F"}[thing.kind] || "";
}

/* Bars too narrow to be told apart are skipped where one is drawn already. */
function drawRow(ctx, row) {
  const drawn = new Array(MAX_LANES).fill(-Infinity);
  const right = state.left + plotWidth();
  ctx.fillStyle = colors.lane;
  const laneEnd = Math.min(right, xOf(data.traces[row.trace].span));
  if (laneEnd > state.left) {
    ctx.fillRect(Math.max(state.left, xOf(0)), row.y,
      laneEnd - Math.max(state.left, xOf(0)), row.height - 2);
  }
  for (let i = firstBeyond(row, state.t0); i < row.things.length; i++) {
    const thing = row.things[i], lane = row.lane[i];
    if (thing.start > state.t1) {
      break;
    }
    const x0 = Math.max(state.left, xOf(thing.start));
    const x1 = Math.min(right, xOf(thing.end));
    if (x1 < drawn[lane] + 0.5) {
      continue;
    }
    drawBar(ctx, row, i, x0, Math.max(x1 - x0, 0.75));
    drawn[lane] = Math.max(x1, x0 + 0.75);
  }
}

/* What a search did not find, or what is not on the critical path. */
function isDim(row, i) {
  const shown = state.found ? state.found[row.trace] :
    state.path ? pathOf(data.traces[row.trace]) : null;
  return shown !== null && (row.call || row.range || !shown[row.items[i]]);
}

function drawBar(ctx, row, i, x, width) {
  const thing = row.things[i];
  const y = row.y + row.lane[i] * row.step, height = row.step - 2;
  const odd = i % 2 && state.by === "engine" ? "-odd" : "";
  ctx.fillStyle = row.call ? colors.call : row.range ? colors.copy :
    colors[thing.engine + odd];
  ctx.globalAlpha = isDim(row, i) ? 0.2 :
    (row.call || row.range) && i % 2 ? 0.75 : 1;
  ctx.fillRect(x, y, width > 3 ? width - 0.75 : width, height);
  ctx.globalAlpha = 1;
  if (width < 14 || height < 10) {
    return;
  }
  const text = barText(row, thing);
  ctx.font = (height < 14 ? "10px" : "12px") + " system-ui, sans-serif";
  if (ctx.measureText(text).width < width - 6) {
    ctx.fillStyle = colors["in-bar"];
    ctx.textAlign = "center";
    ctx.fillText(text, x + width / 2, y + height / 2);
  }
}

function drawAxis(ctx) {
  const span = state.t1 - state.t0;
  const rough = span / Math.max(2, plotWidth() / 75);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = Math.max(1,
    [1, 2, 5, 10].find((f) => f * power >= rough) * power);
  const [unit, size] = span >= 1e9 ? ["s", 1e9] : span >= 1e6 ? ["ms", 1e6] :
    span >= 1e3 ? ["\u00b5s", 1e3] : ["ns", 1];
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  ctx.font = "12px system-ui, sans-serif";
  ctx.textAlign = "center";
  for (let t = Math.ceil(state.t0 / step) * step; t <= state.t1; t += step) {
    ctx.fillStyle = colors.grid;
    ctx.fillRect(Math.round(xOf(t)), 4, 1, state.axisY);
    ctx.fillStyle = colors.muted;
    ctx.fillText((t / size).toFixed(digits), xOf(t), state.axisY + 16);
  }
  ctx.textAlign = "right";
  ctx.fillText(unit, state.width - 12, state.axisY + 16);
}

/* A text on the axis or above the rows, kept inside of the plot. */
function drawFlag(ctx, text, x, y) {
  ctx.font = "12px system-ui, sans-serif";
  const width = ctx.measureText(text).width + 10;
  const left = Math.min(Math.max(x - width / 2, state.left),
    state.left + plotWidth() - width);
  ctx.fillStyle = colors.focus;
  ctx.fillRect(left, y - 9, width, 18);
  ctx.fillStyle = colors["in-bar"];
  ctx.textAlign = "center";
  ctx.fillText(text, left + width / 2, y);
}

/* Where the pointer is in time, and how far apart the ends of a range are. */
function drawCursors(ctx) {
  const right = state.left + plotWidth();
  ctx.fillStyle = colors.focus;
  if (state.range) {
    const [a, b] = state.range.map(xOf);
    for (const x of [a, b].filter((v) => v >= state.left && v <= right)) {
      ctx.fillRect(x, 0, 1, state.axisY);
    }
    if (b > state.left && a < right) {
      drawFlag(ctx, timeText(state.range[1] - state.range[0]), (a + b) / 2,
        state.axisY - 2);
    }
  }
  const x = state.pointer ? state.pointer.x : -1;
  if (x >= state.left && x <= right) {
    ctx.fillStyle = colors.focus;
    ctx.fillRect(x, 0, 1, state.axisY);
    drawFlag(ctx, timeText(Math.round(tOf(x))), x, state.axisY + 16);
  }
}

function drawHeads(ctx) {
  ctx.textAlign = "left";
  data.traces.forEach((trace) => {
    ctx.fillStyle = colors.bg;
    ctx.fillRect(0, trace.y, state.width, HEAD - 4);
    ctx.font = "600 14px system-ui, sans-serif";
    ctx.fillStyle = colors.text;
    // On a narrow screen the last words may not fit; they stand above, too.
    const words = [trace.title, timeText(trace.span), trace.compared];
    while (words.length > 1 &&
           ctx.measureText(words.join("   ")).width > state.width - 20) {
      words.pop();
    }
    ctx.fillText(words.join("   "), 10, trace.y + HEAD / 2);
  });
}

function drawLabels(ctx) {
  if (state.pinY !== null) {
    ctx.font = "600 14px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.fillStyle = colors.text;
    ctx.fillText("Pinned", 10, state.pinY + HEAD / 2);
  }
  ctx.font = "13px system-ui, sans-serif";
  for (const row of state.rows) {
    const y = row.y + row.height / 2 - 1;
    ctx.textAlign = "right";
    ctx.fillStyle = row.busy === undefined ? colors.muted : colors.text;
    ctx.fillText(row.label, state.left - 8, y, state.left - 12);
    if (row.busy !== undefined) {
      const span = data.traces[row.trace].span;
      ctx.fillStyle = colors.muted;
      ctx.fillText((span ? 100 * row.busy / span : 0).toFixed(0) + "%",
        state.width - 12, y);
    }
  }
}

/* Made once: a page with all arrows asks for thousands. */
function positionOf(row, index) {
  row.positions ??= new Map(row.items.map((item, i) => [item, i]));
  return row.positions.get(index);
}

/* The row, and the position in it, of a thing; null where it has none. */
function placeOf(thing) {
  for (const row of state.rows) {
    if (row.source === listOf(thing)) {
      const i = positionOf(row, thing.index);
      if (i !== undefined) {
        return {row, i};
      }
    }
  }
  return null;
}

/* Where an arrow to one side of a hazard ends: inside its operation, beside the
 * label, or at the end of the host call before it. */
function hazardPoint(t, op, call) {
  const trace = data.traces[t];
  const index = op ? trace.opIndex.get(op) : trace.callIndex.get(call);
  const place = index === undefined ? null :
    placeOf({trace: t, call: !op, index});
  if (!place) {
    return null;
  }
  const {row, i} = place, what = row.things[i];
  const y = row.y + row.lane[i] * row.step + row.step / 2 - 1;
  return {x: xOf(op ? (what.start + 3 * what.end) / 4 : what.end), y};
}

/* Ends that are close together get a wide bend, beside the bars' numbers. */
function drawArrow(ctx, first, second) {
  const near = Math.hypot(first.x - second.x, first.y - second.y) < 24;
  const from = {x: first.x + (near ? 12 : 0), y: first.y};
  const to = {x: second.x + (near ? 12 : 0), y: second.y};
  const bendX = (from.x + to.x) / 2 + (near ? 50 : from.y === to.y ? 0 : 14);
  const bendY = (from.y + to.y) / 2 - (from.y === to.y ? LANE : 0);
  const angle = Math.atan2(to.y - bendY, to.x - bendX);
  for (const [color, width] of [[colors.bg, 5], [colors.bad, 2]]) {
    ctx.strokeStyle = ctx.fillStyle = color;
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.moveTo(from.x, from.y);
    ctx.quadraticCurveTo(bendX, bendY, to.x, to.y);
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(from.x, from.y, 1 + width / 2 + 1, 0, 7);
    ctx.moveTo(to.x, to.y);
    for (const turn of [-0.4, 0.4]) {
      ctx.lineTo(to.x - 10 * Math.cos(angle + turn),
        to.y - 10 * Math.sin(angle + turn));
    }
    ctx.fill();
  }
}

function drawHazards(ctx) {
  data.traces.forEach((trace, t) => {
    for (const h of trace.hazards.slice(0, MAX_ARROWS)) {
      const from = hazardPoint(t, h.firstOp, h.firstCall);
      const to = hazardPoint(t, h.secondOp, h.secondCall);
      if (from && to) {
        drawArrow(ctx, from, to);
      }
    }
  });
}

/* Frame a thing. Return the middle of its start, for the arrow. */
function drawFrame(ctx, thing) {
  const place = thing && placeOf(thing);
  if (!place) {
    return null;
  }
  const {row, i} = place, what = row.things[i];
  const y = row.y + row.lane[i] * row.step;
  const x = xOf(what.start), width = Math.max(2, xOf(what.end) - x);
  ctx.strokeStyle = colors.focus;
  ctx.lineWidth = 2;
  ctx.strokeRect(x - 1, y - 1, width + 2, row.step);
  return {x, y: y + row.step / 2};
}

function partnerOf(thing) {
  const trace = data.traces[thing.trace];
  if (thing.range) {
    return null;
  }
  if (thing.call) {
    const index = trace.opsOfCall.get(trace.calls[thing.index].id);
    return index === undefined ? null :
      {trace: thing.trace, call: false, index};
  }
  const index = trace.callIndex.get(trace.ops[thing.index].call);
  return index === undefined ? null : {trace: thing.trace, call: true, index};
}

function drawSelection(ctx) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(state.left - 2, 0, plotWidth() + 4, state.axisY);
  ctx.clip();
  if (state.range) {
    ctx.fillStyle = colors.range;
    ctx.fillRect(xOf(state.range[0]), 0,
      xOf(state.range[1]) - xOf(state.range[0]), state.axisY);
  }
  if (state.waits) {
    drawWaits(ctx);
  }
  drawHazards(ctx);
  if (state.selected) {
    const from = drawFrame(ctx, state.selected);
    const partner = partnerOf(state.selected);
    const to = partner && drawFrame(ctx, partner);
    if (from && to) {
      ctx.beginPath();
      ctx.setLineDash([3, 3]);
      ctx.lineWidth = 1;
      ctx.moveTo(from.x, from.y);
      ctx.lineTo(to.x, to.y);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    drawCause(ctx);
  }
  ctx.restore();
  drawCursors(ctx);
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  state.width = canvas.parentElement.clientWidth - 2;
  setLeft();
  canvas.style.height = state.height + "px";
  if (canvas.width !== Math.round(state.width * ratio) ||
      canvas.height !== Math.round(state.height * ratio)) {
    canvas.width = Math.round(state.width * ratio);
    canvas.height = Math.round(state.height * ratio);
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.textBaseline = "middle";
  ctx.fillStyle = colors.bg;
  ctx.fillRect(0, 0, state.width, state.height);
  drawAxis(ctx);
  drawHeads(ctx);
  for (const row of state.rows) {
    drawRow(ctx, row);
  }
  drawLabels(ctx);
  drawSelection(ctx);
  drawMap(ratio);
}

let pending = false;

function redraw() {
  if (!pending) {
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      draw();
      followPointer();
    });
  }
}
