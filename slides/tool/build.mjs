/* build.mjs: slides/NN_name.md -> build/slides/NN_name.html and .pdf, and a
 * page that lists all. Run by tools/slides, from the repository's root.
 *
 *     node slides/tool/build.mjs [--decks FOLDER] [--out FOLDER] [--handouts]
 *         [--short] [NN_name...]
 *
 * --handouts: also each deck with its notes, on paper; without names the whole
 * course, too. --short: without the slides that the short form leaves out.
 *
 * A deck whose text, theme and tools have not changed is left as it is. A page
 * is put in its place only when it is complete. Exit status 1 for a deck that
 * cannot be built. */
import {createHash} from "node:crypto";
import {existsSync, mkdirSync, readFileSync, readdirSync,
  renameSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {parseArgs} from "node:util";
import {expandDeck} from "./expand.mjs";
import {writeCourse, writeHandout} from "./handout.mjs";
import {deckFacts, indexPage, shortForm} from "./index.mjs";
import {render} from "./marp.mjs";

const {values, positionals} = parseArgs({allowPositionals: true, options: {
  decks: {type: "string", default: "slides"},
  out: {type: "string", default: "build/slides"},
  handouts: {type: "boolean", default: false},
  short: {type: "boolean", default: false}}});
const {decks: folder, out} = values;
const work = join(out, ".work");
const RENDERERS = ["slides/theme.css", "slides/marp.config.mjs",
  "slides/package-lock.json", "slides/tool/marp.mjs"];

const say = (name, text) => console.log(`  deck  ${name.padEnd(24)} ${text}`);
const all = readdirSync(folder).filter((f) => /^\d\d_\w+\.md$/.test(f))
  .map((f) => f.slice(0, -3)).sort();
const wanted = positionals.length ? positionals : all;

/* A deck as it was asked for. */
function deckText(name) {
  const text = readFileSync(join(folder, name + ".md"), "utf8")
    .replace(/\r/g, "");
  return values.short ? shortForm(text) : text;
}

function sum(text) {
  const hash = createHash("sha256").update(text);
  RENDERERS.forEach((file) => hash.update(readFileSync(file)));
  return hash.digest("hex");
}

function unchanged(name, text) {
  const made = join(work, "sums", name);
  return existsSync(made) && readFileSync(made, "utf8") === sum(text) &&
    ["html", "pdf"].every((end) => existsSync(join(out, `${name}.${end}`)));
}

for (const part of ["decks", "pages"]) {
  rmSync(join(work, part), {recursive: true, force: true});
  mkdirSync(join(work, part), {recursive: true});
}
mkdirSync(join(work, "sums"), {recursive: true});

const problems = [], changed = [], facts = new Map(), texts = new Map();
for (const name of wanted) {
  const markdown = deckText(name);
  const {text, problems: found} = await expandDeck(join(folder, name + ".md"),
    markdown, out, work);
  problems.push(...found);
  facts.set(name, deckFacts(markdown));
  const {slides, minutes} = facts.get(name);
  texts.set(name, text);
  if (found.length) {
    say(name, "not built");
  } else if (unchanged(name, text)) {
    say(name, `${slides} slides, ${minutes} min, as before`);
  } else {
    say(name, `${slides} slides, ${minutes} min`);
    writeFileSync(join(work, "decks", name + ".md"), text);
    changed.push([name, text]);
  }
}

if (changed.length) {
  const decks = changed.length === 1 ? "1 deck" : `${changed.length} decks`;
  console.log(`  marp  ${decks}: pages, then PDF`);
  try {
    await render(join(work, "decks"), join(work, "pages"));
    for (const [name, text] of changed) {
      for (const end of ["html", "pdf"]) {
        renameSync(join(work, "pages", `${name}.${end}`),
          join(out, `${name}.${end}`));
      }
      writeFileSync(join(work, "sums", name), sum(text));
    }
  } catch (error) {
    problems.push(error.message);
  }
}

if (values.handouts && !problems.length) {
  for (const [name, text] of texts) {
    say(name, "handout");
    writeHandout(name, facts.get(name).title, text, out, join(work, "pages"));
  }
  if (!positionals.length) {
    writeCourse([...texts.keys()], out);
    console.log(`  deck  all${" ".repeat(22)} ${out}/course_handout.pdf`);
  }
}

const built = all.filter((name) => existsSync(join(out, name + ".html")))
  .map((name) => ({name,
    handout: existsSync(join(out, name + "_handout.pdf")), ...(facts.get(name) ||
    deckFacts(deckText(name)))}));
writeFileSync(join(out, "index.html.new"), indexPage(built,
  existsSync(join(out, "course_handout.pdf"))));
renameSync(join(out, "index.html.new"), join(out, "index.html"));

problems.forEach((problem) => console.error(problem));
console.log(problems.length ? `${problems.length} problems` :
  `${out}/index.html lists ${built.length} decks`);
process.exitCode = problems.length ? 1 : 0;
