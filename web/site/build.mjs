/* build.mjs: the site, from the repository's texts to a folder of static
 * files. Run from the repository's root, after all else that the folder is to
 * hold: the service worker knows each file by its sum.
 *
 *     node web/site/build.mjs [FOLDER] [--no-decks]     (build/web)
 */
import {existsSync, mkdirSync, readFileSync, rmSync,
  writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {parseArgs} from "node:util";
import {deckMaker} from "./decks.mjs";
import {iconPng, iconSvg, manifest} from "./icons.mjs";
import {contents, pageOf} from "./layout.mjs";
import {coloured, escape, renderText} from "./markdown.mjs";
import {addressOf, deckPaths, firstPages, kindOf, labNames, readText, sourceOf}
  from "./pages.mjs";
import {indexOf} from "./search-index.mjs";
import {namesIn} from "../tools/sources.mjs";
import {decksPage, documentsPage, PROGRESS, searchPage, startPage} from
  "./start.mjs";
import {writeWorker} from "./worker-list.mjs";

const {values, positionals} = parseArgs({allowPositionals: true, options: {
  "no-decks": {type: "boolean", default: false}}});
const out = positionals[0] || "build/web";
const here = dirname(fileURLToPath(import.meta.url));
const has = (path) => existsSync(join(out, path));
const doing = has("page/lab.js");
const site = {play: has("page/play.js"),
  version: readText("VERSION").trim()};

const made = new Set();
function write(path, data) {
  made.add(path);
  mkdirSync(dirname(join(out, path)), {recursive: true});
  writeFileSync(join(out, path), data);
}

/* ---- pages of files ---- */

/* A lab's page: the text beside the place where it is done. */
function labPage(page, name) {
  const labs = labNames(), at = labs.indexOf(name);
  const way = (to, words) => to ? `<a href="../${to}/index.html">${words} ${
    to.slice(0, 2)}: ${to.slice(3).replace(/_/g, " ")}</a>` : "<span></span>";
  return {...page, lab: name, kind: "lab",
    styles: has("page/lab.css") ? ["page/lab.css"] : [],
    scripts: doing ? ["page/lab.js"] : [],
    html: `<article id="readme">
${page.html}
<nav class="near" aria-label="Labs">${way(labs[at - 1], "Before:")}${
  way(labs[at + 1], "Next:")}</nav>
</article>
<section id="workbench" aria-label="Your file"${doing ? "" : " hidden"}>
</section>`};
}

/* Text between the headings' list and the first heading stays first. */
const withContents = ({html, sections}) =>
  html.replace(/<\/h1>/, `</h1>\n${contents(sections)}`);

function markdownPage(path, seen) {
  const source = sourceOf(path), address = addressOf(path);
  const text = renderText(readText(source), {source, address, seen});
  const page = {...text, source, address, html: withContents(text)};
  const [, lab] = source.match(/^labs\/(\d\d_\w+)\/README\.md$/) || [];
  if (lab) {
    return labPage(page, lab);
  }
  if (source === "labs/README.md") {
    page.html = page.html.replace(/<td><a href="(\d\d_\w+)\/[^>]*>.*?<\/a>/g,
      '$& <span data-lab="$1"><span class="lab-state"></span></span>');
    page.html = page.html.replace("</h1>", `</h1>\n${PROGRESS}`);
    page.scripts = doing ? ["page/progress.js"] : [];
  }
  return page;
}

function textPage(path) {
  const language = {cu: "cpp", cuh: "cpp", c: "cpp", h: "cpp", py: "python",
    sh: "bash", json: "json", cff: "yaml"}[path.split(".").at(-1)];
  return {title: path, source: path, address: addressOf(path), kind: "source",
    html: `<h1>${escape(path)}</h1>\n<pre><code>${
      coloured(readText(path), language)}</code></pre>`};
}

function folderPage(path, seen) {
  const rows = namesIn(path).map((name) => {
    const to = addressOf(join(path, name));
    if (!to) {
      return `<li>${escape(name)}</li>`;
    }
    seen.add(join(path, name));
    return `<li><a href="${to.slice(path.length + 1)}">${escape(name)}</a></li>`;
  });
  return {title: path, source: path, address: addressOf(path),
    html: `<h1>${escape(path)}</h1>\n<ul>${rows.join("\n")}</ul>`};
}

/* ---- all of it ---- */

/* What runs the program of a slide, where there is one. */
const asking = (html, path) => html.includes(" data-predict=") ? [path] : [];

/* Pages, from the first ones to all that they link to. Decks last, since each
 * runs its program. */
async function allPages() {
  const seen = new Set(firstPages()), pages = [], decks = [];
  const deck = values["no-decks"] ? null : await deckMaker(write, has("page/predict.js"));
  deckPaths().forEach((path) => seen.add(path));
  const make = {markdown: (path) => markdownPage(path, seen),
    text: textPage, folder: (path) => folderPage(path, seen),
    deck: async (path) => {
      const address = addressOf(path);
      const made = await deck.render(path, address);
      decks.push({...made, address});
      return {title: made.title, source: path, address, kind: "deck",
        deckText: made.source, styles: ["site/marp.css",
          ...asking(made.html, "page/play.css")], scripts: ["site/deck.js",
          ...asking(made.html, "page/predict.js")], html: `<h1>${escape(made.title)}</h1>
<p class="deck-head"><a href="decks.html">All decks</a>
<button id="present" hidden>Present</button></p>
<div id="slides">
${made.html}
</div>`};
    }};

  seen.add("slides/README.md");
  const labs = labNames().map((name) => ({name, idea: ideaOf(name)}));
  const first = startPage({labs, doing, seen});
  const done = new Set();
  for (const path of seen) {            // grows while it is walked
    const address = addressOf(path), kind = kindOf(path);
    if (done.has(address) || kind === "deck" && !deck) {
      continue;
    }
    done.add(address);
    if (kind === "picture") {
      write(address, readFileSync(path));
    } else {
      pages.push(await make[kind](path));
    }
  }
  if (deck) {
    write("site/marp.css", deck.stylesheet());
  }
  return [...pages, first, decksPage(decks), searchPage(),
    documentsPage(pages)];
}

/* A lab's one idea, as README.md lists it. */
function ideaOf(name) {
  const [, idea] = readText("README.md").match(
    new RegExp(`^\\| \\[${name}\\][^|]*\\| (.*?) \\|$`, "m"));
  return idea;
}

/* What an earlier run made, and this one did not, goes: the folder has files
 * of others, too. */
function clear() {
  const list = join(dirname(out), "web-site.made");
  const before = existsSync(list) ? readText(list).split("\n") : [];
  before.filter((path) => path && !made.has(path)).forEach((path) =>
    rmSync(join(out, path), {force: true}));
  writeFileSync(list, [...made].join("\n"));
}

const pages = await allPages();
pages.forEach((page) => write(page.address, pageOf(page, site)));
if (site.play) {
  write("play/index.html", pageOf({title: "Playground", kind: "play",
    address: "play/index.html", styles: ["page/play.css"],
    scripts: ["page/play.js"], html: '<div id="playground"></div>'}, site));
}
write("site/style.css", readFileSync("timeline/palette.css", "utf8") +
  readFileSync(join(here, "style.css"), "utf8"));
for (const name of ["text.css", "code.css", "site.js", "search.js",
  "search-options.js", "deck.js"]) {
  write(`site/${name}`, readFileSync(join(here, name)));
}
write("site/minisearch.js", readFileSync(join(here,
  "../node_modules/minisearch/dist/es/index.js")));
write("site/icon.svg", iconSvg());
[180, 192, 512].forEach((size) =>
  write(`site/icon-${size}.png`, iconPng(size)));
write("manifest.webmanifest", manifest());
write("site/index.json", indexOf(pages));
clear();
const {version, bytes} = writeWorker(out, join(here, "service-worker.js"));
console.log(`${out}: ${pages.length} pages, ${(bytes / 1e6).toFixed(1)} MB ` +
  `to keep for offline reading, version ${version}`);
