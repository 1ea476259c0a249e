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
  '</text>', "g");
const LARGEST = 16, SMALLEST = 8, WIDTH = 0.62;    // of a letter, in its size

function fitLabel(bar, width, place, label) {
  const size = Math.min(LARGEST,
    Math.floor((Number(width) - 2) / (WIDTH * label.length)));
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
function roomForLabels(svg) {
  const labels = [...svg.matchAll(
    /class="tl-t tl-r" x="([\d.]+)"[^>]*>([^<]*)</g)];
  return Math.ceil(Math.max(0, ...labels.map(([, x, text]) =>
    LETTER * text.length - Number(x))));
}

export const uriOf = (svg) =>
  "data:image/svg+xml;base64," + Buffer.from(svg).toString("base64");

/* Return: the picture, fit for a slide. */
export function enlarge(svg, unit = false) {
  let text = svg.replace(/@media[^{]*prefers-color-scheme:\s*dark[^{]*/g,
    "@media not all");
  if (unit) {
    text = inUnits(text);
  }
  text = text.replace(LABELLED, (_, bar, width, place, label) =>
    fitLabel(bar, width, place, label));
  text = text.replace(/class="tl-t tl-bad"[^<]*/g, (words) =>
    words.replace(/[\w.-]+\//g, ""));
  const room = roomForLabels(text);
  text = text.replace(/<svg ([^>]*)viewBox="0 0 ([\d.]+) ([\d.]+)"/,
    (_, rest, width, height) => `<svg ${rest}width="${Number(width) + room}" ` +
      `height="${height}" viewBox="${-room} 0 ${Number(width) + room} ${
        height}"`);
  return text.replace("</style>", STYLE + "</style>");
}

/* Return: the same as a data URI. */
export const embed = (svg, unit) => uriOf(enlarge(svg, unit));
