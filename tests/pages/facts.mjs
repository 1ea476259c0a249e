/* facts.mjs: what a trace says, read without the program that is tested */
import {readFileSync} from "node:fs";
import {inflateSync} from "node:zlib";

/* Records of one kind, numbers as numbers. */
function records(text, kind) {
  return text.split("\n").filter((line) => line.startsWith(kind + " "))
    .map((line) => Object.fromEntries(line.split(" ").slice(1).map((word) => {
      const at = word.indexOf("="), value = word.slice(at + 1);
      return [word.slice(0, at),
        /^\d+$/.test(value) ? Number(value) : decodeURIComponent(value)];
    })));
}

/* Time with at least one of some operations. */
function busy(ops) {
  let until = -Infinity, sum = 0;
  for (const op of [...ops].sort((a, b) => a.start_ns - b.start_ns)) {
    sum += Math.max(0, op.end_ns - Math.max(op.start_ns, until));
    until = Math.max(until, op.end_ns);
  }
  return sum;
}

export function readTrace(file) {
  const text = readFileSync(file, "utf8");
  const ops = records(text, "op"), marks = records(text, "mark");
  const zero = marks.length ? marks[0].t_ns :
    Math.min(...ops.map((op) => op.start_ns));
  const end = Math.max(...ops.map((op) => op.end_ns),
    ...marks.map((m) => m.t_ns));
  const engines = {};
  for (const op of ops) {
    (engines[op.engine] ??= []).push(op);
  }
  return {ops, zero, span: end - zero, hazards: records(text, "hazard"),
    calls: records(text, "call"),
    busy: Object.fromEntries(Object.entries(engines)
      .map(([name, list]) => [name, busy(list)]))};
}

/* Contrast of two colours "#rrggbb", "#rgb" or "rgb(r, g, b)", as WCAG
 * defines it. */
export function contrast(a, b) {
  const light = [a, b].map((color) => {
    const hex = color.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
    const parts = hex.startsWith("#") ?
      [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) :
      hex.match(/\d+/g).map(Number);
    const [r, g, bl] = parts.map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  }).sort((x, y) => y - x);
  return (light[0] + 0.05) / (light[1] + 0.05);
}

/* Pages of a PDF: the count of its tree's root, which may be in a stream that is
 * packed. */
export function pdfPages(pdf) {
  const text = pdf.toString("latin1"), parts = [text];
  for (const {index, 0: start} of text.matchAll(/\bstream\r?\n/g)) {
    try {
      parts.push(inflateSync(pdf.subarray(index + start.length))
        .toString("latin1"));
    } catch {
      /* not packed in this way: a picture or a font */
    }
  }
  const counts = parts.flatMap((part) => [...part.matchAll(
    /\/Type\s*\/Pages\b[^>]*?\/Count\s+(\d+)|\/Count\s+(\d+)[^>]*\/Type\s*\/Pages\b/g
  )].map((m) => Number(m[1] ?? m[2])));
  return Math.max(0, ...counts);
}
