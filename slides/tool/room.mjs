/* room.mjs: how high the words, code and tables of a slide are. So a picture
 * can be made as high as the room that is left, and few words get larger
 * letters. The lengths are those of theme.css; letters are as wide as those of
 * Liberation Sans, on average of their kind. */

const ROOM = 534, WIDTH = 1180;    // below the heading, of 1280 x 720
const TEXT = 34, LINE = 1.32, GAP = 18, ITEM = 8, INDENT = 1.2;
const TABLE = 30, ROW = 11, SOURCE = 11;
const CODE = 24, LARGE = 29, CODE_LINE = 1.26, MONO = 0.602;
const GROWN = [["few", 1.3], ["fewer", 1.15]];     // classes of theme.css
const SPARE = 30, MORE_GAP = 8;    // of those classes
const BESIDE = 1.15;               // may words grow beside code that grows less

/* What stands before the code of a program. */
export const PLAIN_CODE = '<div class="code">';
export const LARGE_CODE = '<div class="code large">';

/* In sizes of its letters. */
function widthOf(text) {
  const plain = text.replace(/\*\*|\]\([^)]*\)/g, "");
  return plain.split("`").reduce((sum, part, i) => sum + (i % 2 ?
    0.86 * MONO * part.length + 0.3 :
    [...part].reduce((wide, letter) => wide +
      (/[ ijl.,:;'|!tfrI()]/.test(letter) ? 0.28 : /[ckszvxy]/.test(letter) ?
        0.5 : /[mwMW%]/.test(letter) ? 0.83 : /[A-Z]/.test(letter) ? 0.69 : 0.56),
    0)), 0);
}

const linesOf = (text, size, width = WIDTH) =>
  Math.ceil(1.03 * widthOf(text) * size / width);

/* The widest cells of all columns together; a cell has 36 px beside it. */
function tableWidth(lines, size) {
  const rows = lines.map((line) => line.split("|").slice(1, -1));
  return rows[0].reduce((sum, _, i) => sum + 36 + size * Math.max(
    ...rows.map((cells) => widthOf((cells[i] || "").trim()))), 0);
}

/* Blocks as Markdown has them: {kind, lines}. */
function blocksOf(slide) {
  const blocks = [];
  let open = null, large = false;
  const add = (kind, line) => open?.kind === kind ? open.lines.push(line) :
    blocks.push(open = {kind, lines: [line], large});

  for (const line of slide.join("\n").split("\n")) {
    if (open?.kind === "code") {
      line === "```" ? open = null : open.lines.push(line);
    } else if (line.startsWith("```")) {
      add("code", line);
      open.large ||= line === "```sh";
    } else if (/^(<!--|#|<\/?div|$)/.test(line)) {
      large = line === LARGE_CODE || large && !line.startsWith("</div");
      open = open?.kind === "list" ? open : null;
    } else if (/^<p class="source"/.test(line)) {
      add("source", line);
      open = null;
    } else if (/^([-*]|\d+\.) /.test(line)) {
      add("list", line.replace(/^\S+ /, ""));
    } else if (line.startsWith("|")) {
      add("table", line);
    } else if (open && open.kind !== "table") {
      open.lines.push(`${open.lines.pop()} ${line.trim()}`);
    } else {
      add("text", line.replace(/^> /, ""));
    }
  }
  return blocks;
}

/* How many lines of text a block has, with letters so much larger. */
function textLines({kind, lines}, grow) {
  const width = kind === "list" ? WIDTH - INDENT * TEXT * grow : WIDTH;
  return lines.reduce((sum, line) => sum + linesOf(line, TEXT * grow, width), 0);
}

const isProgram = ({kind, lines}) => kind === "code" && lines[0] !== "```sh";

/* How much larger letters of code may be: as much as its longest line allows. */
const codeGrowth = ({lines, large}, most) => Math.min(most,
  (WIDTH - 26) / (MONO * (large ? LARGE : CODE) *
    Math.max(...lines.slice(1).map((line) => line.length), 1)));

/* A row of a table is one line, or it does not fit. */
function heightOf(block, grow) {
  const {kind, lines, large} = block;
  switch (kind) {
  case "code":
    return 20 + (lines.length - 1) * CODE_LINE * (large ? LARGE : CODE) *
      (isProgram(block) ? Math.max(1, codeGrowth(block, grow)) :
        large ? grow : 1);
  case "source":
    return SOURCE;
  case "table":
    return (lines.length - 1) * (TABLE * LINE * grow + ROW);
  default:
    return textLines(block, grow) * TEXT * LINE * grow +
      (kind === "list" ? (lines.length - 1) * ITEM : 0);
  }
}

const heightOfAll = (blocks, grow) => blocks.reduce((sum, block) =>
  sum + GAP + heightOf(block, grow), 0);

/* What is left for a picture, in pixels. */
export const roomFor = (slide) => ROOM - heightOfAll(blocksOf(slide), 1);

const fits = (lines, grow) => lines.every((line) =>
  MONO * LARGE * grow * line.length + 40 < WIDTH);

/* May it grow? Not words beside code that cannot, which would look small. A
 * word alone on a line looks lost, but not below the point of a list. */
function mayGrow(block, grow) {
  switch (block.kind) {
  case "code":
    return !isProgram(block) || grow <= BESIDE * codeGrowth(block, grow);
  case "source":
    return true;
  case "table":
    return tableWidth(block.lines, TABLE * grow) < WIDTH;
  case "list":
    return true;
  default:
    return textLines(block, grow) === textLines(block, 1);
  }
}

/* What a slide of few words, without a picture, is given. Long commands keep the
 * size of their letters.
 * Return: {classes, codes}: "" or its classes; of each program how much larger
 * its letters are. */
export function growthOf(slide) {
  const blocks = blocksOf(slide);
  const rows = blocks.reduce((sum, {kind, lines}) =>
    sum + (kind === "code" ? 1 : lines.length), 0);
  const [name, grow] = GROWN.find(([, size]) =>
    blocks.every((block) => mayGrow(block, size)) &&
    heightOfAll(blocks, size) + MORE_GAP * rows < ROOM - SPARE) || ["", 1];
  const wide = blocks.some((block) => block.kind === "code" &&
    !isProgram(block) && !fits(block.lines, grow));
  return {
    classes: name + (name && wide ? " wide" : ""),
    codes: blocks.filter(isProgram).map((block) =>
      Math.max(1, codeGrowth(block, grow))),
  };
}
