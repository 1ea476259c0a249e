/* icons.mjs: the site's icon, a timeline of three engines at work at the same
 * time, as SVG and as PNG of any size, from one list of rectangles. */
import {readFileSync} from "node:fs";
import {crc32, deflateSync} from "node:zlib";

const SIDE = 32;
/* Those of the dark, which are last. */
const COLORS = Object.fromEntries(Array.from(
  readFileSync("timeline/palette.css", "utf8").matchAll(/--([\w-]+): (#\w+)/g),
  ([, name, color]) => [name, color]));
const SHAPES = [[0, 0, 32, 32, "bg"], [4, 7, 9, 5, "h2d"],
  [14, 7, 8, 5, "h2d-odd"], [9, 14, 9, 5, "sm"], [19, 14, 8, 5, "sm-odd"],
  [13, 21, 8, 5, "d2h"], [22, 21, 6, 5, "d2h-odd"]].map(
  ([x, y, width, height, name]) => [x, y, width, height, COLORS[name]]);

export const iconSvg = () =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}">` +
  SHAPES.map(([x, y, width, height, fill]) => `<rect x="${x}" y="${y}" ` +
    `width="${width}" height="${height}" fill="${fill}"/>`).join("") +
  "</svg>\n";

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

export function iconPng(size) {
  const row = 1 + 3 * size, pixels = Buffer.alloc(row * size);
  for (const [x, y, width, height, fill] of SHAPES) {
    const [left, top, right, bottom] = [x, y, x + width, y + height]
      .map((at) => Math.round(at * size / SIDE));
    const colour = Buffer.from(fill.slice(1), "hex");
    for (let at = top; at < bottom; at++) {
      pixels.fill(colour, at * row + 1 + 3 * left, at * row + 1 + 3 * right);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8);                // 8 bits of red, green, blue
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0))]);
}

export const manifest = () => JSON.stringify({
  name: "CUDA Streams Lab", short_name: "Streams Lab", lang: "en",
  description: "Learn CUDA streams without a GPU, in the browser.",
  start_url: "index.html", scope: "./", display: "standalone",
  background_color: COLORS.bg, theme_color: COLORS.bg,
  icons: [{src: "site/icon.svg", sizes: "any", type: "image/svg+xml"},
    ...[192, 512].map((size) => ({src: `site/icon-${size}.png`,
      sizes: `${size}x${size}`, type: "image/png", purpose: "any maskable"}))],
}, null, 1) + "\n";
