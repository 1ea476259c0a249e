/* decks.mjs: a deck as a page to read: each slide as Marp draws it, its notes
 * below. Pictures and styles become files, since the policy lets nothing pass
 * that stands in the page itself. Programs are run by slides/tool/, as for
 * `make slides`. */
import {createHash} from "node:crypto";
import {mkdirSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {escape} from "./markdown.mjs";
import {linkTo, readText} from "./pages.mjs";

const root = process.cwd();
const from = (file) => import(pathToFileURL(join(root, file)).href);
const WORK = "build/slides";

/* The program whose timeline a slide asks for: it, or the next one, shows it. */
function predicted(markdown, i) {
  const slides = markdown.split(/^---$/m).slice(2);
  const [, name] = (/^<!-- _class: predict/m.test(slides[i]) &&
    (slides[i] + slides[i + 1]).match(/\]\(predict\/(\w+)\.cu\)/)) || [];
  return name;
}

const sum = (data) =>
  createHash("sha256").update(data).digest("hex").slice(0, 12);

/* What is common to all decks of one site.
 * @write   (path, data)
 * @doing   can a program be run in the tab? */
export async function deckMaker(write, doing) {
  const {expandDeck} = await from("slides/tool/expand.mjs");
  const {deckFacts} = await from("slides/tool/index.mjs");
  const {default: config} = await from("slides/marp.config.mjs");
  const {Marp} = createRequire(join(root, "slides/package.json"))(
    "@marp-team/marp-core");
  const styles = new Map();             // the text of an attribute: a class
  let css = "";
  mkdirSync(join(WORK, ".work"), {recursive: true});

  /* A picture in the page becomes a file of the site. */
  const outside = (html, address) => html.replace(
    /src="data:image\/svg\+xml;base64,([^"]*)"/g, (_, data) => {
      const bytes = Buffer.from(data, "base64");
      const path = `slides/pictures/${sum(bytes)}.svg`;
      write(path, bytes);
      return `loading="lazy" src="${linkTo(path, address)}"`;
    });

  /* style="..." becomes a class of site/deck.css. */
  const classed = (html) => html.replace(/<[a-z][^<>]* style="[^"]*"[^<>]*>/g,
    (tag) => {
      const [, style] = tag.match(/ style="([^"]*)"/);
      if (!styles.has(style)) {
        styles.set(style, "st" + styles.size.toString(36));
      }
      const name = styles.get(style), rest = tag.replace(/ style="[^"]*"/, "");
      return / class="/.test(rest) ?
        rest.replace(/ class="/, ` class="${name} `) :
        rest.replace(/^<[a-z]+/, (start) => `${start} class="${name}"`);
    });

  async function render(path, address) {
    const markdown = readText(path);
    const {text, problems} = await expandDeck(path, markdown, WORK,
      join(WORK, ".work"));
    if (problems.length) {
      throw new Error(problems.join("\n"));
    }
    const marp = new Marp({html: true, script: false, inlineSVG: true,
      ...config.options});
    config.themeSet.forEach((file) => marp.themeSet.add(readText(file)));
    const {html, css: style, comments} = marp.render(text,
      {htmlAsArray: true});
    css = style;
    const slides = html.map((slide, i) => {
      const words = comments[i].flatMap((note) => note.split(/\n\s*\n/))
        .map((part) => `<p>${escape(part.trim())}</p>`).join("");
      const name = doing && predicted(markdown, i);
      const is = (kind) =>
        new RegExp(`class="[^"]*\\b${kind}\\b`).test(slide);
      // Who reads alone should be able to think first.
      const picture = `<div class="marpit">${
        classed(outside(slide, address))}</div>`;
      const open = ["check", "predict", "answer"].some(is) ? "" : " open";
      return `<section class="slide" id="slide-${i + 1}" aria-label="Slide ${
        i + 1} of ${html.length}">
${is("answer") ? `<details class="answer"><summary>Slide ${i + 1}: the answer` +
    `</summary>\n${picture}\n</details>` : picture}
${words && `<details class="notes"${open}><summary>${
    is("check") ? "Answers" : "Notes"}</summary>${words}</details>`}
${name ? `<div data-predict="${name}"></div>` : ""}
</section>`;
    });
    return {...deckFacts(markdown), source: markdown, html: slides.join("\n")};
  }

  /* All decks are of one theme, so one file serves them. */
  const stylesheet = () => css + [...styles].map(([style, name]) =>
    `\n.marpit .${name}{${style.replace(/&quot;/g, '"')
      .replace(/&amp;/g, "&")}}`).join("");
  return {render, stylesheet};
}
