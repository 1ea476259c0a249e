/* figure.mjs: a picture that the project's tools drew, made fit for a
 * projector: larger letters, always light, inside the page itself. */

const LETTER = 10.5;     // of a label, at most, on average
const STYLE = `
.tl-t{font:19px "Liberation Sans",Arial,Helvetica,sans-serif}
.tl-h{font-size:21px;font-weight:600}
.tl-e{font-size:13px}
.tl-x{font-size:10px}
.tl-arrow{stroke-width:3.4}
.tl-halo{stroke-width:8}
`;

/* A bar and its label, whose letters are as large as the bar allows. */
const LABELLED = new RegExp('(<rect[^>]* width="([\\d.]+)" height="\\d+">' +
  '<title>[^<]*</title></rect>)\\s*<text class="tl-t tl-n[^"]*"([^>]*)>([^<]+)' +
  "</text>", "g");
const LARGEST = 16, SMALLEST = 8, WIDTH = 0.62;    // of a letter, in its size

function fitLabel(bar, width, place, label, more) {
  const size = Math.min(LARGEST,
    Math.floor((Number(width) - 2) / (WIDTH * label.length * more)));
  return size < SMALLEST ? bar :
    `${bar}<text class="tl-t tl-n" style="font-size:${size}px"${place}>${label}</text>`;
}

/* On the unit-cost device a unit is 1,000 ns. */
const inUnits = (svg) => svg
  .replace(/>([\d.]+) µs([,<])/g, (_, number, behind) =>
    `>${Number(number)} unit${Number(number) === 1 ? "" : "s"}${behind}`)
  .replace(/>µs</g, "><")
  .replace(/(<text class="tl-t tl-c tl-m"[^>]*>)(\d+)\.(\d+)</g,
    (_, tick, whole, rest) => tick + (/^0+$/.test(rest) ? whole : "") + "<");

/* How much is missing on the left, where the names of rows end at x. */
function roomForLabels(svg, more) {
  const labels = [...svg.matchAll(
    /class="tl-t tl-r" x="([\d.]+)"[^>]*>([^<]*)</g)];
  return Math.ceil(Math.max(0, ...labels.map(([, x, text]) =>
    LETTER * more * text.length - Number(x))));
}

const SLIDE = 1180, MAX_STRETCH = 2, MAX_MORE = 1.3, PERCENT = 46;

/* How much larger letters may be: of a heading with its time and of the legend
 * none may run into another, or out of the picture. */
function largerLetters(svg, width, most) {
  const used = new Map();
  for (const [, kind, x, y, text] of svg.matchAll(
    /<text class="tl-t (tl-h|tl-r tl-m|tl-m)" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g)) {
    const {from = width, letters = 2} = used.get(y) || {};
    used.set(y, {from: kind === "tl-r tl-m" ? from : Number(x),
      letters: letters + text.length});
  }
  return Math.max(1, Math.min(most, ...[...used.values()]
    .filter(({from}) => from < width)
    .map(({from, letters}) => (width - from) / (0.9 * LETTER * letters))));
}

/* A higher picture, and larger letters that keep their form in it: a text is
 * stretched back about the middle of its own line. */
function stretch(svg, high, more, right) {
  return svg.replace(/<text ([^>]*?)x="([\d.]+)" y="([\d.]+)"/g,
    (_, classes, x, y) => {
      const at = Number(x) + (/tl-r tl-m/.test(classes) ? right : 0);
      return `<text ${classes}x="${x}" y="${y}" transform="translate(${at} ${
        (Number(y) - 5 + 5 * more / high).toFixed(1)}) scale(${
        more.toFixed(3)} ${(more / high).toFixed(3)}) translate(-${x} -${y})"`;
    });
}

export const uriOf = (svg) =>
  "data:image/svg+xml;base64," + Buffer.from(svg).toString("base64");

/* @room: how high it may be on a slide, in pixels.
 * Return: the picture, fit for a slide. */
export function enlarge(svg, unit = false, room = 0) {
  let text = svg.replace(/@media[^{]*prefers-color-scheme:\s*dark[^{]*/g,
    "@media not all");
  if (unit) {
    text = inUnits(text);
  }
  const [, wide, height] = text.match(/viewBox="0 0 ([\d.]+) ([\d.]+)"/)
    .map(Number);
  const high = Math.min(MAX_STRETCH,
    Math.max(1, room / (SLIDE * height / wide)));
  const more = largerLetters(text, wide, Math.min(MAX_MORE, high));
  text = text.replace(LABELLED, (_, bar, width, place, label) =>
    fitLabel(bar, width, place, label, more));
  text = text.replace(/class="tl-t tl-bad"[^<]*/g, (words) =>
    words.replace(/[\w.-]+\//g, ""));
  const left = roomForLabels(text, more);
  const right = Math.ceil(PERCENT * (more - 1)), width = wide + left + right;
  text = text.replace(/<svg ([^>]*)viewBox="0 0 ([\d.]+) ([\d.]+)"/,
    (_, rest) => `<svg ${rest}width="${width}" height="${
      (height * high).toFixed(0)}" viewBox="${-left} 0 ${width} ${
      height}" preserveAspectRatio="none"`);
  return stretch(text, high, more, right)
    .replace("</style>", STYLE + "</style>");
}

/* Return: the same as a data URI. */
export const embed = (svg, unit, room) => uriOf(enlarge(svg, unit, room));
