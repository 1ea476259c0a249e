/* excerpt.mjs: a few lines of a source file, found by what they say. */
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";

export const MAX_LINES = 16;
export const MAX_COLUMNS = 80;

/* A solution holds the skeleton too: tools/skeleton parts the two. What is
 * kept as a difference to a solution, tools/submission makes whole. */
function read(file, half) {
  if (file.endsWith(".diff")) {
    file = execFileSync("tools/submission", [file], {encoding: "utf8"}).trim();
  }
  const text = readFileSync(file, "utf8");
  if (!/^[ \t]*\/\/ solution>( \d+)*$/m.test(text)) {
    return text;
  }
  const options = half === "todo" ? [] : ["--solution"];
  return execFileSync("tools/skeleton", [...options, file],
    {encoding: "utf8"});
}

/* The lines of the definition of a function or a struct. */
function definition(lines, name) {
  const named = new RegExp(`\\b${name}\\b`);
  const top = (line) => /^[^\s#/*{}]/.test(line) && !/;\s*$/.test(line);
  for (let n = 0; n < lines.length; n++) {
    /* its first words may be on a line before its name */
    const i = n > 0 && /^\s/.test(lines[n]) ? n - 1 : n;
    if (!named.test(lines[n]) || !top(lines[i])) {
      continue;
    }
    let k = n;
    while (k < lines.length && !/[;{]/.test(lines[k])) {
      k++;
    }
    if (k < lines.length && lines[k].includes("{")) {
      const end = lines.findIndex((line, e) => e >= k && /^}/.test(line));
      if (end >= 0) {
        return lines.slice(i, end + 1);
      }
    }
  }
  throw new Error(`there is no ${name}`);
}

/* From the line that has `first` to the next one that has `last`. */
function between(lines, first, last) {
  const start = lines.findIndex((line) => line.includes(first));
  if (start < 0) {
    throw new Error(`no line has "${first}"`);
  }
  const end = lines.findIndex((line, n) => n >= start && line.includes(last));
  if (end < 0) {
    throw new Error(`no line from there on has "${last}"`);
  }
  return lines.slice(start, end + 1);
}

/* Lines of the preprocessor begin at the margin, wherever they are. */
export function dedent(lines) {
  const full = lines.filter((line) => line.trim() && !line.startsWith("#"));
  const depth = Math.min(...full.map((line) => line.search(/\S/)));
  return lines.map((line) => line.startsWith("#") ? line : line.slice(depth));
}

/* No empty line at either end, and never two together. */
function tidy(lines) {
  const kept = lines.filter((line, i) => line.trim() ||
    (i > 0 && lines[i - 1].trim()));
  while (kept.length && !kept[kept.length - 1].trim()) {
    kept.pop();
  }
  return kept;
}

export function checkSize(lines) {
  if (lines.length > MAX_LINES) {
    throw new Error(`${lines.length} lines; a slide has room for ${
      MAX_LINES}`);
  }
  const wide = lines.find((line) => line.length > MAX_COLUMNS);
  if (wide !== undefined) {
    throw new Error(`${wide.length} columns, more than ${
      MAX_COLUMNS}: ${wide}`);
  }
}

/* What the words behind `code:` ask for.
 * NAME | NAME, "first" to "last" | "first" to "last"
 * each with or without ", without comments" at the end
 */
export function parseSpec(spec) {
  const match = spec.trim().match(new RegExp(
    '^(?:(\\w+)\\s*,?\\s*)?(?:"([^"]+)"(?:\\s+to\\s+"([^"]+)")?\\s*)?' +
    "(?:,?\\s*(without comments))?$"));
  if (!match || !(match[1] || match[2])) {
    throw new Error(`not understood: ${spec}`);
  }
  return {name: match[1], first: match[2], last: match[3] || match[2],
    bare: Boolean(match[4])};
}

export function linesOf(text, spec) {
  const {name, first, last, bare} = spec;
  let lines = text.replace(/\n$/, "").split("\n");
  if (name) {
    lines = definition(lines, name);
  }
  if (first) {
    lines = between(lines, first, last);
  }
  if (bare) {
    lines = lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  }
  return dedent(tidy(lines));
}

/* half: "code" or "todo" (what the student starts from). */
export function excerpt(file, spec, half) {
  const lines = linesOf(read(file, half), parseSpec(spec));
  checkSize(lines);
  return lines.join("\n");
}
