/* expand.mjs: a deck as written -> a deck for Marp. Lines of their own that
 * are links of a special form become what they name; slides/README.md lists
 * them. */
import {existsSync, readFileSync} from "node:fs";
import {dirname, join, normalize, relative} from "node:path";
import {checkSize, excerpt, parseSpec, linesOf} from "./excerpt.mjs";
import {embed, enlarge, uriOf} from "./figure.mjs";
import {program} from "./programs.mjs";
import {growthOf, LARGE_CODE, PLAIN_CODE, roomFor} from "./room.mjs";
import {stepsOf} from "./steps.mjs";

const SPECIAL = /^\[(code|todo|timeline|steps|output)(?::\s*(.*))?\]\(([^()\s]+)\)$/;
const FIGURE = /^!\[([^\]]*)\]\(([^()\s]+)\)$/;
const LINK = /(?<!!)\[([^\]]+)\]\(([^()\s#:]+)(#[^()\s]*)?\)/g;

const escape = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;")
  .replace(/</g, "&lt;");
/* Larger letters where there are few lines, and none of them is long. */
function fence(language, text) {
  const lines = text.split("\n");
  const large = lines.length <= 9 && lines.every((line) => line.length <= 64);
  const code = ["```" + language, text, "```"];
  return language === "sh" ? code :
    [large ? LARGE_CODE : PLAIN_CODE, "", ...code, "", "</div>"];
}

/* letter: height of its smallest letters, in its own pixels. */
const TIMELINE = 19, DRAWING = 20;
const picture = (uri, alt, letter = TIMELINE) =>
  [`<p class="figure"><img src="${uri}" alt="${escape(alt)}" ` +
    `data-letter="${letter}"></p>`];

/* The first picture has the words for all of them. */
function stepped(svg, alt) {
  const {first, steps} = stepsOf(svg);
  const layer = (uri, more) => `<img src="${uri}" ${more} ` +
    `data-letter="${TIMELINE}">`;
  return ['<p class="figure steps">' +
    layer(uriOf(first), `alt="${escape(alt)}"`) +
    steps.map((step, i) => layer(uriOf(step),
      `alt="" data-marpit-fragment="${i + 1}"`)).join("") + "</p>"];
}

function figure(file, alt) {
  if (!alt.trim()) {
    throw new Error(`${file}: say in words what the picture shows`);
  }
  if (!file.endsWith(".svg")) {
    throw new Error(`${file}: figures are SVG, drawn by the project's tools`);
  }
  const svg = readFileSync(file, "utf8");
  return file.startsWith("slides/drawings/") ? picture(embed(svg), alt, DRAWING) :
    [(room) => picture(embed(svg, false, room), alt)];
}

async function special(kind, words, file, work) {
  if (kind === "code" || kind === "todo") {
    return [...fence("cpp", excerpt(file, words || "", kind)), "",
      `<p class="source">${escape(file)}</p>`];
  }
  const title = /timeline|steps/.test(kind) && words || "";
  const ran = await program(file, join(work, "programs"), title || " ");
  if (kind === "timeline") {
    return [(room) => picture(embed(ran.svg, ran.unit, room),
      title || `timeline of ${file}`)];
  }
  if (kind === "steps") {
    return [(room) => stepped(enlarge(ran.svg, ran.unit, room),
      title || `timeline of ${file}`)];
  }
  const lines = words ? linesOf(ran.output, parseSpec(words)) :
    ran.output.replace(/\n+$/, "").split("\n");
  checkSize(lines);
  return fence("text", lines.join("\n"));
}

/* The presenter view breaks lines itself; an empty line parts paragraphs. */
const oneLine = (note) => note.map((line) => line.trim()).join("\n")
  .replace(/([^\n])\n(?!\n)/g, "$1 ");

/* A timeline is as high as the room that a slide's other lines leave; it waits
 * for them as a function. A slide of few words, without a picture, says so in
 * its class. */
function finish(slide) {
  const words = slide.filter((line) => typeof line === "string");
  if (words.length < slide.length) {
    const room = roomFor(words);
    return slide.flatMap((line) =>
      typeof line === "string" ? [line] : line(room));
  }
  if (!words.some((line) => line.startsWith("## ")) ||
      words.some((line) => line.includes('class="figure'))) {
    return words;
  }
  const {classes, codes} = growthOf(words);
  const grown = words.map((line) => line === LARGE_CODE || line === PLAIN_CODE ?
    line.replace(">", ` style="--code:${codes.shift().toFixed(3)}">`) : line);
  const at = grown.findIndex((line) => line.startsWith("<!-- _class:"));
  return !classes ? grown : at < 0 ? [`<!-- _class: ${classes} -->`, ...grown] :
    grown.with(at, grown[at].replace(" -->", ` ${classes} -->`));
}

/* @deck: path from the repository's root, and @markdown what is in it; @out: where
 * the pages will lie. Return: {text, problems}. */
export async function expandDeck(deck, markdown, out, work) {
  const lines = markdown.split("\n");
  const slides = [[]], problems = [];
  let result = slides[0], fenced = null, note = null;

  for (const [i, line] of lines.entries()) {
    const problem = (text) => problems.push(`${deck}:${i + 1}: ${text}`);
    if (fenced) {
      if (line === "```") {
        result.push(...fence(fenced.language, fenced.lines.join("\n")));
        fenced = null;
      } else {
        fenced.lines.push(line);
      }
      continue;
    }
    const opens = line.match(/^```(\w*)$/);
    if (opens) {
      fenced = {language: opens[1] || "text", lines: []};
      continue;
    }
    if (note || line.startsWith("<!--")) {
      note = [...note || [], line];
      if (line.includes("-->")) {
        result.push(oneLine(note));
        note = null;
      }
      continue;
    }
    const link = line.match(SPECIAL), image = line.match(FIGURE);
    try {
      if (link || image) {
        const file = normalize(join(dirname(deck), image ? image[2] : link[3]));
        if (!existsSync(file)) {
          problem(`there is no ${file}`);
        } else {
          result.push(...image ? figure(file, image[1]) :
            await special(link[1], link[2], file, work));
        }
      } else {
        if (/^\s*[-*]?\s*!?\[(code|todo|timeline|steps|output)\b/.test(line)) {
          problem("such a link stands alone on its line");
        }
        if (line === "---") {
          slides.push(result = []);
          continue;
        }
        result.push(line.replace(LINK, (whole, text, target, anchor) => {
          const file = normalize(join(dirname(deck), target));
          existsSync(file) || problem(`there is no ${file}`);
          return `[${text}](${relative(out, file)}${anchor || ""})`;
        }));
      }
    } catch (error) {
      problem(error.message);
    }
  }
  fenced && problems.push(`${deck}: a block \`\`\` is never closed`);
  note && problems.push(`${deck}: a comment is never closed`);
  return {text: slides.flatMap((slide, i) =>
    [...i ? ["---"] : [], ...finish(slide)]).join("\n"), problems};
}
