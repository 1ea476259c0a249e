/* handout.mjs: a deck on paper: each slide with its notes below it, A4, one
 * PDF for each deck and one for the whole course. */
import {execFileSync} from "node:child_process";
import {createRequire} from "node:module";
import {writeFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {readFileSync} from "node:fs";
import config from "../marp.config.mjs";

const require = createRequire(import.meta.url);
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

const STYLE = `
@page { size: A4; margin: 14mm 16mm 16mm;
  @bottom-right { content: counter(page); font: 9pt sans-serif; } }
body { margin: 0; color: #16202b;
  font: 10.5pt/1.45 "Liberation Sans", Arial, Helvetica, sans-serif; }
h1.deck { font-size: 18pt; margin: 0 0 4mm; }
div.page { break-inside: avoid; margin: 0 0 7mm; }
div.page > .marpit > svg { display: block; width: 172mm; height: auto;
  border: 0.3mm solid #8a95a2; }
div.page > p { margin: 2mm 0 0; max-width: 172mm; }
.marpit { break-after: avoid; }
`;

/* @text  a deck as Marp takes it */
function page(text, title) {
  const {Marp} = require("@marp-team/marp-core");
  const marp = new Marp({html: true, script: false, inlineSVG: true,
    ...config.options});
  for (const file of config.themeSet) {
    marp.themeSet.add(readFileSync(file, "utf8"));
  }
  const {html, css, comments} = marp.render(text, {htmlAsArray: true});
  const slides = html.map((slide, i) => `<div class="page"><div class="marpit">${
    slide}</div>${comments[i].map((note) => note.split(/\n\s*\n/)
    .map((part) => `<p>${escape(part.trim())}</p>`).join("")).join("")}</div>`);
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>${escape(title)}</title>
<style>${css}</style>
<style>${STYLE}</style>
<h1 class="deck">${escape(title)}</h1>
${slides.join("\n")}
</html>
`;
}

/* build/slides/NN_name_handout.pdf; @work: where the page for it may lie. */
export function writeHandout(name, title, text, out, work) {
  const file = join(work, name + "_handout.html");
  writeFileSync(file, page(text, title));
  execFileSync(process.env.CHROMIUM, ["--headless", "--no-sandbox",
    "--disable-gpu", "--no-pdf-header-footer", "--generate-pdf-document-outline",
    `--print-to-pdf=${resolve(join(out, name + "_handout.pdf"))}`,
    "file://" + resolve(file)], {stdio: "ignore", timeout: 120000});
}

/* pdfunite is of poppler-utils. */
export function writeCourse(names, out) {
  const files = names.map((name) => join(out, name + "_handout.pdf"));
  execFileSync("pdfunite", [...files, join(out, "course_handout.pdf")]);
}
