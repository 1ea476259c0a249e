/* overview.js: the whole run in a strip, search, what is printed */

const map = document.getElementById("map");
const MAP_ROW = 5, MAP_EDGE = 3;

/* What does not change while somebody moves: drawn once, kept. */
let mapImage = null;

function forgetMap() {
  mapImage = null;
}

function mapX(t) {
  return MAP_EDGE + (t - limits[0]) / (limits[1] - limits[0]) *
    (state.width - 2 * MAP_EDGE);
}

function mapT(x) {
  return limits[0] + (x - MAP_EDGE) / (state.width - 2 * MAP_EDGE) *
    (limits[1] - limits[0]);
}

function paintMap(ratio) {
  const rows = state.rows.filter((row) => row.busy !== undefined);
  const height = Math.max(20, rows.length * MAP_ROW + 2 * MAP_EDGE);
  map.style.height = height + "px";
  map.width = mapImage.width = Math.round(state.width * ratio);
  map.height = mapImage.height = Math.round(height * ratio);
  const ctx = mapImage.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.fillStyle = colors.lane;
  ctx.fillRect(0, 0, state.width, height);
  rows.forEach((row, r) => {
    let drawn = -Infinity;
    for (const thing of row.things) {
      const x0 = mapX(thing.start), x1 = mapX(thing.end);
      if (x1 < drawn + 0.5) {
        continue;
      }
      ctx.fillStyle = colors[thing.engine];
      ctx.fillRect(x0, MAP_EDGE + r * MAP_ROW, Math.max(0.75, x1 - x0),
        MAP_ROW - 1);
      drawn = Math.max(x1, x0 + 0.75);
    }
  });
}

function drawMap(ratio) {
  const width = Math.round(state.width * ratio);
  if (!mapImage || mapImage.width !== width) {
    mapImage = document.createElement("canvas");
    paintMap(ratio);
  }
  const ctx = map.getContext("2d");
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.drawImage(mapImage, 0, 0);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  const x0 = mapX(state.t0), x1 = mapX(state.t1);
  const height = map.height / ratio;
  ctx.fillStyle = colors.bg;
  ctx.globalAlpha = 0.65;
  ctx.fillRect(0, 0, x0, height);
  ctx.fillRect(x1, 0, state.width - x1, height);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colors.focus;
  ctx.lineWidth = 2;
  ctx.strokeRect(x0 + 1, 1, Math.max(3, x1 - x0 - 2), height - 2);
}

/* To the place that is pointed at, with what is shown around it. */
function mapMove(event) {
  if (event.buttons & 1 || event.type === "pointerdown") {
    const at = mapT(event.clientX - map.getBoundingClientRect().left - 1);
    const half = (state.t1 - state.t0) / 2;
    setView(at - half, at + half);
  }
}

map.addEventListener("pointerdown", (event) => {
  map.setPointerCapture(event.pointerId);
  mapMove(event);
});
map.addEventListener("pointermove", mapMove);

/* ---- search ---- */

const findInput = document.getElementById("find");

function matches(trace, op, words) {
  const text = `${op.name} ${op.kind} ${op.at} ${streamName(trace, op)}`
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function search() {
  const words = findInput.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  state.found = words.length ? data.traces.map((trace) =>
    Uint8Array.from(trace.ops, (op) => {
      const found = matches(trace, op, words);
      count += found;
      return found;
    })) : null;
  document.getElementById("found").textContent = words.length ?
    `${count} found` + (count ? "; Enter goes to the next" : "") : "";
  redraw();
}

/* The next in time that was found, over all runs, and from the last to the
 * first again. */
function findNext() {
  const all = data.traces.flatMap((trace, t) => trace.ops.map((op, index) =>
    ({trace: t, index})).filter((o) => state.found[t][o.index]));
  const s = state.selected;
  const next = !s || s.call || s.range ? all[0] : all.find((o) =>
    o.trace > s.trace || (o.trace === s.trace && o.index > s.index)) || all[0];
  if (next) {
    select(next, true);
  }
}

findInput.addEventListener("input", search);
findInput.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && state.found) {
    event.preventDefault();
    findNext();
  } else if (event.key === "Escape") {
    findInput.value = "";
    search();
    canvas.focus();
  }
});

/* ---- print ---- */

/* The picture for those without scripts is the one to print: it has the
 * proportions of a page, and is not cut where the screen ends. */
function makePrintable() {
  const without = document.querySelector("noscript");
  const picture = document.getElementById("picture");
  if (without && picture && !picture.firstChild) {
    picture.innerHTML = without.textContent;
  }
}

addEventListener("beforeprint", makePrintable);
if (matchMedia("print").matches) {
  makePrintable();
}
