/* waits.js: names of streams, and what each operation waited for */

for (const trace of data.traces) {
  trace.names =
    new Map(trace.streams.map((s) => [s.device + ":" + s.number, s.name]));
  trace.events = new Map(trace.events.map((e) => [e.id, e]));
  trace.waits = new Map(trace.waits.map((w) => [w.id, w]));
  /* In order of creation, over all devices. */
  trace.order = [...new Set(trace.ops.map((o) => o.stream))]
    .filter((s) => s > 0).sort((a, b) => a - b);
  trace.manyDevices = trace.ops.some((o) => o.device !== trace.ops[0].device);
}

/* As the program names it, else by the number that reports, pictures and bars
 * have. */
function streamName(trace, op) {
  return op.stream === 0 ? "default stream" :
    trace.names.get(op.device + ":" + op.stream) || `stream ${op.stream}`;
}

/* For a row, with the other number: in brackets as an array would have it, from
 * 0 in the order of creation. */
function streamLabel(trace, op) {
  const name = streamName(trace, op);
  return op.stream === 0 ? name :
    trace.names.has(op.device + ":" + op.stream) ? `${name} (${op.stream})` :
      `${name} [${trace.order.indexOf(op.stream)}]`;
}

/* Without the folder: sentences are long enough. */
function lineOf(at) {
  return at.replace(/^.*\//, "");
}

function placeName(op) {
  return op.at ? `, ${lineOf(op.at)}` : "";
}

function opName(trace, op) {
  return `${op.name} (${streamName(trace, op)}${placeName(op)})`;
}

function callName(call) {
  return call.name + (call.at ? ` (${lineOf(call.at)})` : "");
}

const WHY = {nothing: 0, stream: 1, event: 2, barrier: 3, order: 4, engine: 5,
  host: 6, guess: 7};
const ENGINES = {h2d: "the copy engine to the device",
  d2h: "the copy engine to the host", copy: "the copy engine",
  peer: "the link", sm: "the multiprocessors", host: "the host's thread"};

function causeOf(trace, index) {
  const [why, from, wait] = trace.causes.slice(3 * index, 3 * index + 3);
  return {why, from: from < 0 ? null : from, wait: trace.waits.get(wait)};
}

/* "when" where it is at once, else "3.1 us after". */
function afterText(ns) {
  return ns > 0 ? timeText(ns) + " after" : "when";
}

function eventText(trace, wait) {
  const event = trace.events.get(wait.event);
  if (!event) {
    return "an event";
  }
  const recorded = lineOf(event.at) || "a line that is not known";
  return event.name ? `event ${event.name}, ${recorded}` :
    `an event recorded at ${recorded}`;
}

/* What the host did for longest after a time, before a call: why it came
 * late. */
function hostBefore(trace, call, from) {
  let longest = null, takes = 0;
  for (const c of trace.calls) {
    const time = Math.min(c.end, call.start) - Math.max(c.start, from);
    if (c.thread === call.thread && c !== call && time > takes) {
      longest = c;
      takes = time;
    }
  }
  return longest && takes > 0.2 * (call.start - from) ?
    ` Until then the host was in ${callName(longest)} for ` +
    `${timeText(takes)}.` : "";
}

function hostText(trace, op, before) {
  const call = trace.calls[trace.callIndex.get(op.call)];
  if (!call) {
    return "It waited for the host.";
  }
  const late = before && call.start >= before.end ?
    `, ${afterText(call.start - before.end)} ${opName(trace, before)} ended` :
    "";
  return `It waited for the host, which called ${callName(call)}` +
    `${late}; it started ` +
    `${timeText(op.start - call.start)} after that.` +
    hostBefore(trace, call, before ? before.end : 0);
}

/* It could have started when another one ended, and did not: who was on its
 * engine when it did? */
function betweenText(trace, op, before) {
  const late = op.start - before.end;
  const other = late < 2000 ? null : trace.ops.find((o) => o !== op &&
    o.device === op.device && o.engine === op.engine && o.start < op.start &&
    o.end >= op.start);
  return other ? ` Meanwhile ${opName(trace, other)} had ` +
    `${ENGINES[op.engine]}.` :
    late > 10000 ? " What it waited for in between, the trace does not tell: " +
      "perhaps a hardware queue." : "";
}

/* One or two sentences; op is trace.ops[index]. */
function waitText(trace, index) {
  const op = trace.ops[index], {why, from, wait} = causeOf(trace, index);
  const before = from === null ? null : trace.ops[from];
  if (why === WHY.host) {
    return hostText(trace, op, before);
  }
  if (!before) {
    return "It waited for nothing that is shown here.";
  }
  const started = `Started ${afterText(op.start - before.end)} ` +
    `${opName(trace, before)} ended`;
  const more = why === WHY.guess ? "" : betweenText(trace, op, before);
  if (why === WHY.event) {
    return `${started} (${eventText(trace, wait)}` +
      `${wait.at ? `; waited for at ${lineOf(wait.at)}` : ""}).` + more;
  } else if (why === WHY.barrier) {
    return `${started}: ` + (op.stream === 0 ?
      "the default stream waits for all blocking streams." :
      "blocking streams wait for the default stream.") + more;
  } else if (why === WHY.engine && op.engine === "sm") {
    return `${started}, which had the multiprocessors until then. All that ` +
      "it comes after had ended." + more;
  } else if (why === WHY.engine) {
    return `${started}, which kept ${ENGINES[op.engine]} busy. All that it ` +
      "comes after had ended." + more;
  } else if (why === WHY.stream) {
    return `${started}, the one before it in this stream.` + more;
  } else if (why === WHY.order) {
    return `${started}: the program puts it before (by an event, a graph or ` +
      "the default stream)." + more;
  }
  return `${started}. That is a guess by the times: this trace does not tell ` +
    "what waits for what.";
}

/* The same in a few words. */
function waitWords(trace, index) {
  const {why, from, wait} = causeOf(trace, index);
  if (why === WHY.host || from === null) {
    return why === WHY.host ? "waited for the host" : "waited for nothing";
  }
  const name = trace.ops[from].name + placeName(trace.ops[from]);
  return why === WHY.event ?
    `after ${name} (${eventText(trace, wait)})` :
    why === WHY.barrier ? `after ${name} (default stream)` :
      why === WHY.engine ? `after ${name} (engine busy)` :
        why === WHY.guess ? `probably after ${name}` : `after ${name}`;
}

/* A call that waits returns when something has ended. */
function callWaitText(trace, call) {
  if (!/Synchronize$|^cudaMemcpy$|^cudaFree/.test(call.name)) {
    return null;
  }
  let last = null;
  for (const op of trace.ops) {
    if (op.end > call.start && op.end <= call.end &&
        (!last || op.end >= last.end)) {
      last = op;
    }
  }
  return last ? `Returned ${afterText(call.end - last.end)} ` +
    `${opName(trace, last)} ended.` :
    "Nothing ended while it waited.";
}

/* ---- arrows and marks ---- */

/* From the end of one operation to the start of another. */
function drawWait(ctx, from, to, color, width) {
  const bend = Math.max(12, Math.min(60, Math.abs(to.x - from.x) / 2));
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(from.x, from.y);
  ctx.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(to.x, to.y);
  ctx.lineTo(to.x - 7, to.y - 4);
  ctx.lineTo(to.x - 7, to.y + 4);
  ctx.fill();
}

function edgePoints(t, from, to) {
  const a = placeOf({trace: t, index: from}), b = placeOf({trace: t,
    index: to});
  if (!a || !b) {
    return null;
  }
  const y = ({row, i}) => row.y + row.lane[i] * row.step + row.step / 2 - 1;
  return [{x: xOf(a.row.things[a.i].end), y: y(a)},
    {x: xOf(b.row.things[b.i].start), y: y(b)}];
}

/* All that waits put in order, as far as it is in view and can be told apart. */
function drawWaits(ctx) {
  const right = state.left + plotWidth();
  data.traces.forEach((trace, t) => {
    let left = MAX_WAITS;
    for (let i = 0; i < trace.edges.length && left > 0; i += 3) {
      const [from, to] = [trace.edges[i], trace.edges[i + 1]];
      if (trace.ops[to].end < state.t0 || trace.ops[from].end > state.t1) {
        continue;
      }
      const points = edgePoints(t, from, to);
      if (points && points[1].x > state.left && points[0].x < right) {
        drawWait(ctx, ...points, colors.text, 1);
        left--;
      }
    }
  });
  if (state.by === "stream") {
    drawEvents(ctx);
  }
}

/* A flag where a stream reaches the record of an event. */
function drawEvents(ctx) {
  ctx.font = "10px system-ui, sans-serif";
  ctx.textAlign = "left";
  for (const row of state.rows.filter((r) => r.source ===
      data.traces[r.trace].ops && r.things.length)) {
    const trace = data.traces[row.trace], first = row.things[0];
    let until = -Infinity;
    for (const e of trace.events.values()) {
      const x = e.time === null ? -1 : xOf(e.time);
      if (e.stream !== first.stream || e.device !== first.device ||
          x < Math.max(state.left, until)) {
        continue;
      }
      ctx.fillStyle = colors.focus;
      ctx.beginPath();
      ctx.moveTo(x, row.y - 5);
      ctx.lineTo(x + 6, row.y - 2);
      ctx.lineTo(x, row.y + 1);
      ctx.fill();
      ctx.fillRect(x, row.y - 5, 1, row.height + 3);
      until = x + 4;
    }
  }
}

/* What the selected operation waited for. */
function drawCause(ctx) {
  const s = state.selected;
  if (!s || s.call || s.range) {
    return;
  }
  const {why, from} = causeOf(data.traces[s.trace], s.index);
  const points = from === null || why === WHY.host ? null :
    edgePoints(s.trace, from, s.index);
  if (points) {
    drawWait(ctx, ...points, colors.bg, 5);
    drawWait(ctx, ...points, colors.focus, 2);
  }
}

/* The chain that leads to the last operation, of each run. */
function pathOf(trace) {
  if (!trace.path) {
    let index = -1, left = trace.ops.length;
    trace.ops.forEach((o, i) => {
      if (o.engine !== "none" &&
          (index < 0 || o.end >= trace.ops[index].end)) {
        index = i;
      }
    });
    trace.path = new Uint8Array(trace.ops.length);
    for (let i = index; i !== null && i >= 0 && left-- > 0;
      i = causeOf(trace, i).from) {
      trace.path[i] = 1;
    }
  }
  return trace.path;
}
