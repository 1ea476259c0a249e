/* slides.mjs [--out FOLDER] [--no-commands] NN_name...: tests
 * of the decks that build.mjs has made. Prints TAP. */
import {execFileSync} from "node:child_process";
import {existsSync, readFileSync} from "node:fs";
import {cpus} from "node:os";
import {join} from "node:path";
import {parseArgs} from "node:util";
import {openBrowser} from "../pages/browser.mjs";
import {commandsOf, makePlace, tryCommand} from "./commands.mjs";
import {form, layout, links, notes, spelling} from "./rules.mjs";

const {values, positionals: decks} = parseArgs({allowPositionals: true,
  options: {out: {type: "string", default: "build/slides"},
    "no-commands": {type: "boolean", default: false}}});
const {out} = values;
const MEASURE = readFileSync("tests/slides/measure.js", "utf8");
let count = 0, failed = 0;

function report(name, problems, skip = "") {
  count++;
  failed += problems.length > 0;
  console.log(`${problems.length ? "not " : ""}ok ${count} - ${name}` +
    (skip && !problems.length ? ` # SKIP ${skip}` : ""));
  problems.forEach((p) => console.log("# " + p.replace(/\n/g, "\n#   ")));
}

async function test(name, body) {
  try {
    report(name, await body());
  } catch (error) {
    report(name, [error.stack]);
  }
}

/* As many pages as slides; pdfinfo is of poppler-utils. */
function pdfProblems(file, slides) {
  const info = execFileSync("pdfinfo", [file], {encoding: "utf8"});
  const pages = Number(info.match(/^Pages:\s+(\d+)/m)?.[1]);
  const [, width, height] = info.match(/^Page size:\s+([\d.]+) x ([\d.]+)/m);
  return [pages === slides ? "" : `${pages} pages, ${slides} slides`,
    Math.abs(width / height - 16 / 9) < 0.01 ? "" : "not 16:9"].filter(Boolean);
}

async function readDeck(browser, deck) {
  const page = await browser.openPage({width: 1280, height: 720});
  try {
    await page.open(join(out, deck + ".html"));
    return {slides: await page.value(MEASURE), errors: page.errors};
  } finally {
    await page.close();
  }
}

/* Key after key, the answer's timeline grows; its words come last. */
async function stepProblems(browser, deck, slides) {
  const at = slides.findIndex(({classes}) => classes.includes("answer"));
  if (at < 0) {
    return [];
  }
  const page = await browser.openPage({width: 1280, height: 720});
  const found = [], wait = () => new Promise((done) => setTimeout(done, 100));
  const seen = () => page.value(`(() => {
    const seen = (e) => getComputedStyle(e).visibility === "visible";
    const slide = document.querySelectorAll("section")[${at}];
    return {place: location.hash, words: seen(slide.querySelector("h2")),
      steps: [...slide.querySelectorAll("[data-marpit-fragment]")].filter(seen)
        .length};
  })()`);
  try {
    await page.open(join(out, deck + ".html"));
    await page.value(`location.hash = "#${at + 1}"`);
    for (let step = 0; step <= slides[at].steps; step++) {
      await wait();
      const {place, words, steps} = await seen();
      if (place !== `#${at + 1}` || steps !== step ||
          words !== (step === slides[at].steps)) {
        found.push(`after ${step} keys: ${steps} steps at ${place}, ${
          words ? "with" : "without"} the heading`);
      }
      await page.value(`document.dispatchEvent(new KeyboardEvent("keydown",
        {key: "ArrowRight", code: "ArrowRight", keyCode: 39, which: 39,
        bubbles: true}))`);
    }
  } finally {
    await page.close();
  }
  return found.slice(0, 3);
}

async function testDeck(browser, deck) {
  if (!["html", "pdf"].every((end) => existsSync(join(out, `${deck}.${end}`)))) {
    report(`${deck}: is built`, [`not in ${out}`]);
    return [];
  }
  const {slides, errors} = await readDeck(browser, deck);
  await test(`${deck}: opens, ${slides.length} slides`, () => errors);
  await test(`${deck}: as many pages to print`, () =>
    pdfProblems(join(out, deck + ".pdf"), slides.length));
  await test(`${deck}: nothing sticks out, is clipped or is too small`, () =>
    layout(slides));
  await test(`${deck}: has the slides of every deck`, () => form(slides));
  await test(`${deck}: the answer comes step by step`, () =>
    stepProblems(browser, deck, slides));
  await test(`${deck}: notes with timing and a question on every slide`, () =>
    notes(slides));
  await test(`${deck}: links lead somewhere`, () => links(slides, out));
  await test(`${deck}: spelling`, () => spelling(slides, "slides/words.txt",
    join(out, ".work", "words")));
  return slides;
}

async function testCommands(deck, slides, place) {
  const {commands, wrong} = commandsOf(slides);
  const problems = [...wrong], skips = [];
  for (const command of commands) {
    const {problem, skip} = await tryCommand(command, place);
    problem && problems.push(problem);
    skip && skips.push(skip);
  }
  report(`${deck}: ${commands.length} commands do as they should`, problems,
    skips.length === commands.length ? skips.join("; ") : "");
  skips.forEach((skip) => console.log(`# not run: ${skip}`));
}

const browser = await openBrowser();
const seen = new Map();
try {
  for (const deck of decks) {
    seen.set(deck, await testDeck(browser, deck));
  }
} finally {
  await browser.close();
}

/* Decks side by side, one a core, each core in a place of its own. */
const waiting = [...seen];
async function worker(number) {
  const place = makePlace(join(out, ".work", `place${number}`));
  for (let next; (next = waiting.shift());) {
    await testCommands(...next, place);
  }
}
if (!values["no-commands"]) {
  const cores = Math.min(cpus().length, waiting.length, 4);
  await Promise.all(Array.from({length: cores}, (_, i) => worker(i + 1)));
}
console.log(`1..${count}`);
process.exitCode = failed ? 1 : 0;
