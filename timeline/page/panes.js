/* panes.js: what is selected, in words and tables */

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

function callFacts(trace, call) {
  const wait = callWaitText(trace, call);
  return [
    ...(wait ? [["waited for", wait]] : []),
    ["host call", `${call.name} (thread ${call.thread})`],
    ["called at", call.at || "not known"],
    ["call takes", `${timeText(call.end - call.start)} from ` +
      exactText(call.start)],
  ];
}

function opFacts(trace, op, index) {
  const takes = op.end - op.start;
  const rows = [
    ["operation", `${op.name} (${op.kind}, number ${op.id})`],
    ["waited for", waitText(trace, index)],
    ["where", `GPU ${op.device}, ${streamLabel(trace, op)}, engine ` +
      op.engine +
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
  const call = trace.calls[trace.callIndex.get(op.call)];
  if (call) {
    rows.push(...callFacts(trace, call), ["starts after the call by",
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

function rangeFacts(range) {
  return [
    ["range", `${range.name} (host thread ${range.thread})`],
    ["takes", `${timeText(range.end - range.start)} (` +
      `${exactText(range.end - range.start)})`],
    ["from, to", `${exactText(range.start)}, ${exactText(range.end)}`],
    ["begun at", range.at || "not known"],
  ];
}

function factsOf(thing) {
  const trace = data.traces[thing.trace], what = thingOf(thing);
  return thing.call ? callFacts(trace, what) :
    thing.range ? rangeFacts(what) : opFacts(trace, what, thing.index);
}

/* Three lines: what, how long, after what. */
function tipText(thing) {
  const trace = data.traces[thing.trace], what = thingOf(thing);
  const takes = what.end - what.start;
  if (thing.call || thing.range) {
    return `${what.name}${placeName(what)}\n` +
      `${timeText(takes)} from ${timeText(what.start)}\n` +
      (thing.call ? callWaitText(trace, what) || "host call" : "range");
  }
  return `${opName(trace, what)}\n${timeText(takes)}` +
    (what.bytes ? `, ${bytesText(what.bytes)}, ` +
      rateText(what.bytes, takes) : "") +
    (what.mem === "pageable" ? ", pageable" : "") +
    `\n${waitWords(trace, thing.index)}`;
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
    const name = state.pinned.has(row.key) ? row.label : longLabel(row);
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
    for (const text of [trace.title, op.name, op.kind,
      streamLabel(trace, op),
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
