/* build.mjs: the lab's page and the playground, below a folder
 *
 *     node web/page/build.mjs build/web
 *
 * page/*.js and *.css   scripts, each bundle usable by itself
 * page/timeline.*       the frame that shows a timeline; its script is
 *                       timeline/page/*.js, joined as html.c joins them
 * data/labs/NN.json     skeleton, hints, quiz
 * data/solutions/       a page asks for them once the lab has passed, and
 *                       whoever looks finds them: SOLUTIONS=0 leaves them out
 * data/play.json        the playground's programs and devices
 * data/predict/         the programs of the decks
 *
 * Both folders are made anew: what was there before would be kept for reading
 * offline by everybody.
 */
import {cpSync, mkdirSync, readFileSync, rmSync, writeFileSync}
  from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";
import {labNames, readDevices, readFlags, readLab, readProgram, readSolution}
  from "./content.mjs";
import {namesIn} from "../tools/sources.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const WITH_SOLUTIONS = process.env.SOLUTIONS !== "0";
const SCRIPTS = ["lab", "play", "predict", "progress", "frame"];
/* The order of html.c's tl_html_put_scripts(). */
const TIMELINE = ["page", "waits", "overview", "panes", "input"];

async function buildScripts(out) {
  await build({
    entryPoints: [...SCRIPTS.map((name) => name + ".js"), "lab.css",
      "play.css"].map((name) => join(here, name)),
    outdir: out, bundle: true, splitting: true, minify: true, format: "esm",
    target: "es2022", legalComments: "none", chunkNames: "part-[hash]",
    logLevel: "warning"});
  cpSync(join(here, "timeline.html"), join(out, "timeline.html"));
}

function buildTimeline(out) {
  const from = join(root, "timeline/page");
  writeFileSync(join(out, "timeline.js"), TIMELINE.map((name) =>
    readFileSync(join(from, name + ".js"), "utf8")).join(""));
  writeFileSync(join(out, "timeline.css"), ["../palette.css", "page.css"].map(
    (name) => readFileSync(join(from, name), "utf8")).join(""));
}

function buildLabs(data) {
  for (const name of labNames()) {
    writeFileSync(join(data, "labs", name + ".json"),
      JSON.stringify({...readLab(root, name), solved: WITH_SOLUTIONS}));
    if (!WITH_SOLUTIONS) {
      continue;
    }
    writeFileSync(join(data, "solutions", name + ".cu"),
      readSolution(name));
    const flags = readFlags(root, name, "solution");
    if (flags !== undefined) {
      writeFileSync(join(data, "solutions", name + ".flags"), flags);
    }
  }
}

/* The programs beside a deck: predict/08.json and so on. */
function buildPrograms(data) {
  const play = join(here, "../playground"), deck = join(root, "slides/predict");
  const programs = namesIn("web/playground", /\.cu$/)
    .map((f) => ({id: f.replace(/\.cu$/, ""),
      ...readProgram(root, readFileSync(join(play, f), "utf8"))}));
  writeFileSync(join(data, "play.json"),
    JSON.stringify({programs, devices: readDevices(root)}));
  for (const f of namesIn("slides/predict", /\.cu$/)) {
    const program = readProgram(root, readFileSync(join(deck, f), "utf8"));
    writeFileSync(join(data, "predict", f.replace(/\.cu$/, ".json")),
      JSON.stringify({...program, device: program.device || "unit"}));
  }
}

export async function buildPages(out) {
  const page = join(out, "page"), data = join(out, "data");
  for (const folder of [page, data]) {
    rmSync(folder, {recursive: true, force: true});
  }
  for (const folder of [page, join(data, "labs"), join(data, "solutions"),
    join(data, "predict")]) {
    mkdirSync(folder, {recursive: true});
  }
  await buildScripts(page);
  buildTimeline(page);
  buildLabs(data);
  buildPrograms(data);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.length !== 3) {
    console.error("usage: node web/page/build.mjs FOLDER");
    process.exit(2);
  }
  await buildPages(process.argv[2]);
}
