/* marks.js: what compilers and the checker said, at the lines of the file */

/** Messages of a compiler, `FILE:LINE:COLUMN: error: WORDS`, of one file.
 * @param name how the file ends, for instance "lab.cu" */
export function compilerMarks(text, name) {
  const marks = new Map();
  for (const line of text.split("\n")) {
    const found = line.trim().match(
      /^(\S*?):(\d+)(?::(\d+))?: (?:fatal )?(error|warning): (.*)$/);
    if (found && found[1].endsWith(name)) { // each once
      marks.set(found[0], {line: +found[2], column: +(found[3] || 0),
        kind: found[4] === "error" ? "error" : "warning", words: found[5]});
    }
  }
  return [...marks.values()];
}

/* Values in a trace have no blanks: %20 stands for one. */
function valueOf(line, key) {
  const found = line.match(new RegExp(`(?:^| )${key}=(\\S*)`));
  if (!found) {
    return "";
  }
  try {
    return decodeURIComponent(found[1]);
  } catch {
    return found[1];
  }
}

/** Hazards of a trace, at both of their lines. */
export function hazardMarks(trace, name) {
  const marks = new Map();
  for (const line of trace.split("\n").filter((l) => /^hazard /.test(l))) {
    const ends = ["first_at", "second_at"].map((k) => valueOf(line, k));
    ends.forEach((at, i) => {
      const [, file, number] = at.match(/^(.*):(\d+)$/) || [];
      if (!file?.endsWith(name)) {
        return;
      }
      const other = ends[1 - i].replace(/^.*\//, "");
      const words = `hazard (${valueOf(line, "kind")}) with ${other}: ` +
        valueOf(line, "why");
      marks.set(number + words, {line: +number, column: 0, kind: "error",
        words});
    });
  }
  return [...marks.values()];
}
