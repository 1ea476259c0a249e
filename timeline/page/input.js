/* input.js: mouse, fingers, keys, and the start of it all */

const tip = document.getElementById("tip");

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

/* ---- mouse ---- */

function thingIn(row, i) {
  return {trace: row.trace, call: row.call, range: row.range,
    index: row.items[i]};
}

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
      return thingIn(row, best);
    }
  }
  return null;
}

function showTip(thing, x, y) {
  tip.hidden = !thing;
  if (!thing) {
    return;
  }
  tip.textContent = tipText(thing);
  const room = canvas.clientWidth - tip.offsetWidth - 4;
  tip.style.left = Math.max(0, Math.min(x + 14, room)) + "px";
  tip.style.top = canvas.offsetTop + y + 18 + "px";
}

/* After each drawing: what is below the pointer may be another. */
function followPointer() {
  const at = state.pointer;
  showTip(at && !drag && fingers.size < 2 ? thingAt(at.x, at.y) : null,
    ...(at ? [at.x, at.y] : [0, 0]));
}

let drag = null;
const fingers = new Map();

function place(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left - 1, event.clientY - box.top - 1];
}

/* The middle of two fingers, and how far they are apart. */
function pinch() {
  const [a, b] = [...fingers.values()];
  return {x: (a + b) / 2, apart: Math.max(20, Math.abs(a - b))};
}

/* What was between two fingers stays between them. */
function pinchMove(last) {
  const now = pinch(), at = tOf(last.x);
  const span = (state.t1 - state.t0) * last.apart / now.apart;
  const t0 = at - (now.x - state.left) / plotWidth() * span;
  setView(t0, t0 + span);
}

function rowAt(y) {
  return state.rows.find((row) => y >= row.y - 3 && y <= row.y + row.height);
}

function pin(row) {
  if (row && !state.pinned.delete(row.key)) {
    state.pinned.add(row.key);
  }
  relay();
}

canvas.addEventListener("pointerdown", (event) => {
  const [x, y] = place(event);
  fingers.set(event.pointerId, x);
  canvas.setPointerCapture(event.pointerId);
  if (event.button === 0 && fingers.size === 1) {
    drag = {x, y, t0: state.t0, t1: state.t1, moved: false,
      from: event.shiftKey || y > state.axisY ? tOf(x) : null};
  } else {
    drag = null;
  }
});

canvas.addEventListener("pointermove", (event) => {
  const [x, y] = place(event);
  const last = fingers.size === 2 ? pinch() : null;
  if (fingers.has(event.pointerId)) {
    fingers.set(event.pointerId, x);
  }
  state.pointer = event.pointerType === "touch" ? null : {x, y};
  if (last) {
    pinchMove(last);
    return;
  }
  if (!drag) {
    canvas.style.cursor = x < state.left && rowAt(y) ? "pointer" : "";
    redraw();
    return;
  }
  drag.moved = drag.moved || Math.abs(x - drag.x) > 3;
  if (!drag.moved) {
    return;
  }
  if (drag.from !== null) {
    setRange(drag.from, tOf(x));
  } else {
    const by = (drag.x - x) / plotWidth() * (drag.t1 - drag.t0);
    setView(drag.t0 + by, drag.t1 + by);
  }
});

canvas.addEventListener("pointerup", (event) => {
  const [x, y] = place(event);
  const clicked = drag && !drag.moved;
  fingers.delete(event.pointerId);
  drag = null;
  if (clicked && x < state.left && rowAt(y)) {
    pin(rowAt(y));
  } else if (clicked) {
    select(thingAt(x, y));
  }
});

canvas.addEventListener("pointercancel", (event) => {
  fingers.delete(event.pointerId);
  drag = null;
});
canvas.addEventListener("pointerleave", () => {
  state.pointer = null;
  redraw();
});
canvas.addEventListener("dblclick", fit);
canvas.addEventListener("wheel", (event) => {
  if (event.altKey) {
    return;
  }
  event.preventDefault(); /* with Ctrl: two fingers on a touch pad */
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    pan(event.deltaX / plotWidth());
  } else {
    zoom(Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)),
      tOf(place(event)[0]));
  }
}, {passive: false});

/* ---- keys and buttons ---- */

function step(by) {
  const now = state.selected && placeOf(state.selected);
  const row = now ? now.row :
    state.rows.find((r) => r.busy !== undefined) || state.rows[0];
  if (!row) {
    return;
  }
  const i = now ? Math.min(row.items.length - 1, Math.max(0, now.i + by)) : 0;
  select(thingIn(row, i), true);
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
    select(thingIn(row, i), true);
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

/* To what the selected operation waited for; again: further back. */
function toCause() {
  const s = state.selected;
  const from = s && !s.call && !s.range ?
    causeOf(data.traces[s.trace], s.index).from : null;
  if (from !== null) {
    select({trace: s.trace, index: from}, true);
  }
}

/* A cursor where the pointer is; the second one makes a range. */
let cursor = null;

function setCursor() {
  const at = state.pointer ? tOf(state.pointer.x) :
    (state.t0 + state.t1) / 2;
  if (cursor === null) {
    cursor = at;
    setRange(at, at + (state.t1 - state.t0) / plotWidth());
  } else {
    setRange(cursor, at);
    cursor = null;
  }
}

function toggle(name) {
  state[name] = !state[name];
  button(name).setAttribute("aria-pressed", state[name]);
  redraw();
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
    toggle("host");
    relay();
  },
  waits: () => toggle("waits"),
  path: () => toggle("path"),
  help() {
    const help = document.getElementById("help");
    help.hidden = !help.hidden;
    button("help").setAttribute("aria-expanded", !help.hidden);
  },
};

function relay() {
  layOut();
  forgetMap();
  document.getElementById("by").textContent = state.by + "s";
  if (state.range) {
    setRange(...state.range);
  }
  redraw();
}

const keys = {
  "+": actions.in, "=": actions.in, "-": actions.out, "0": fit,
  w: actions.in, s: actions.out, a: () => pan(-0.25), d: () => pan(0.25),
  r: actions.by, h: actions.host, e: actions.waits, k: actions.path,
  "?": actions.help, c: follow, b: toCause, m: setCursor,
  p: () => pin(state.selected && placeOf(state.selected)?.row),
  "/": () => findInput.focus(), Enter: zoomToSelected,
  ArrowLeft: () => step(-1), ArrowRight: () => step(1),
  ArrowUp: () => stepRow(-1), ArrowDown: () => stepRow(1),
  "[": () => rangeEdge(false), "]": () => rangeEdge(true),
  Escape() {
    select(null);
    setRange(null);
  },
};

/* Wherever the focus is, but for what needs keys itself: a field takes all,
 * a button Enter, and what scrolls its arrows. Up and down scroll the page as
 * long as nothing is selected. */
function takesKey(target, key) {
  if (target === canvas || target === document.body) {
    return key.startsWith("Arrow") && target !== canvas &&
      /Up|Down/.test(key) && !state.selected;
  }
  return target.matches("input, textarea, select") ||
    key === "Enter" || key.startsWith("Arrow");
}

document.addEventListener("keydown", (event) => {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (keys[key] && !event.ctrlKey && !event.metaKey && !event.altKey &&
      !takesKey(event.target, key)) {
    event.preventDefault();
    keys[key]();
  }
});

for (const name of Object.keys(actions)) {
  button(name).addEventListener("click", actions[name]);
}
for (const id of ["tools", "legend", "frame", "panes", "list"]) {
  document.getElementById(id).hidden = false;
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readColors();
  forgetMap();
  redraw();
});
new ResizeObserver(redraw).observe(canvas.parentElement);
readColors();
relay();
fit();
