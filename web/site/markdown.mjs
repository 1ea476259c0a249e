/* markdown.mjs: a page's Markdown as HTML that a strict policy lets pass: no
 * style in an attribute, no script. Links to files of the repository lead to
 * their pages; headings have the anchors that forges give them. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import json from "highlight.js/lib/languages/json";
import makefile from "highlight.js/lib/languages/makefile";
import python from "highlight.js/lib/languages/python";
import yaml from "highlight.js/lib/languages/yaml";
import MarkdownIt from "markdown-it";
import anchor from "markdown-it-anchor";
import {addressOf, kindOf, linkTo, pathOf, readText} from "./pages.mjs";

const LANGUAGES = {bash, cpp, json, makefile, python, yaml};
const CALLED = {cuda: "cpp", c: "cpp", cu: "cpp", h: "cpp", cuh: "cpp",
  sh: "bash", console: "bash", py: "python", yml: "yaml", make: "makefile"};
for (const [name, language] of Object.entries(LANGUAGES)) {
  hljs.registerLanguage(name, language);
}

export const escape = (text) => text.replace(/&/g, "&amp;")
  .replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/* Code with its words marked by classes. */
export function coloured(text, name) {
  const language = CALLED[name] || name;
  return LANGUAGES[language] ?
    hljs.highlight(text, {language}).value : escape(text);
}

/* As tools/check-links has it, which is how forges do. */
const slug = (heading) => heading.toLowerCase().replace(/[^a-z0-9 _-]/g, "")
  .replace(/ /g, "-");

/* Its size, so that the text does not jump when it comes. */
function sizeOf(path) {
  const [, width, height] = readText(path).match(
    /viewBox="0 0 ([\d.]+) ([\d.]+)"/) || [];
  return width ? {width: Math.round(width), height: Math.round(height)} : {};
}

/* Where a link leads: {href} or, what has no page here, {path}. @seen gets
 * each path that the site then has to have. */
function follow(link, {source, address, seen}) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith("#")) {
    return {href: link};
  }
  const [target, at] = link.split("#");
  const path = pathOf(target, source), to = addressOf(path);
  if (!to) {
    return {path};
  }
  seen.add(path);
  return {href: linkTo(to, address) + (at ? "#" + at : "")};
}

/* What is not on the site keeps its words, and says where it is. */
function setLink(tokens, i, env, renderer, options) {
  const {href, path} = follow(tokens[i].attrGet("href"), env);
  if (path !== undefined) {
    let end = i;
    while (tokens[end].type !== "link_close") {
      end++;
    }
    tokens[end].tag = tokens[i].tag = "span";
    tokens[i].attrs = [["class", "elsewhere"],
      ["title", `in the repository: ${path}`]];
  } else {
    tokens[i].attrSet("href", href);
    if (/^https?:/.test(href)) {
      tokens[i].attrSet("rel", "noopener noreferrer external");
    }
  }
  return renderer.renderToken(tokens, i, options);
}

function setImage(tokens, i, env, renderer, options) {
  const token = tokens[i], path = pathOf(token.attrGet("src"), env.source);
  if (path.startsWith("../")) {
    return "";          // a forge's, beside the repository: a badge
  }
  if (kindOf(path) !== "picture") {
    throw new Error(`${env.source}: no picture ${path}`);
  }
  env.seen.add(path);
  token.attrSet("src", linkTo(path, env.address));
  token.attrSet("alt", renderer.renderInlineAsText(token.children, options, env)
    .replace(/\s+/g, " "));
  for (const [name, value] of Object.entries(sizeOf(path))) {
    token.attrSet(name, value);
  }
  token.attrSet("loading", "lazy");
  // Small letters on a phone: the picture alone can be made larger.
  return `<a class="figure" href="${token.attrGet("src")}">` +
    `${renderer.renderToken(tokens, i, options)}</a>`;
}

/* markdown-it writes `style="text-align:right"`. */
function setCell(tokens, i, env, renderer, options) {
  const style = tokens[i].attrGet("style");
  if (style) {
    tokens[i].attrs = [["class", style.replace(/.*:/, "to-")]];
  }
  return renderer.renderToken(tokens, i, options);
}

const markdown = new MarkdownIt({html: true, highlight: coloured});
markdown.use(anchor, {slugify: slug, uniqueSlugStartIndex: 1, tabIndex: false,
  permalink: anchor.permalink.headerLink({safariReaderFix: true})});

const rules = markdown.renderer.rules;
const asRule = (f) => (tokens, i, options, env, renderer) =>
  f(tokens, i, env, renderer, options);
rules.link_open = asRule(setLink);
rules.image = asRule(setImage);
rules.th_open = rules.td_open = asRule(setCell);
rules.table_open = () => '<div class="table"><table>\n';
rules.table_close = () => "</table></div>\n";
// Comments are for those who write; other tags have no place in a text.
rules.html_block = rules.html_inline = (tokens, i, options, env) => {
  const rest = tokens[i].content.replace(/<!--[\s\S]*?-->/g, "").trim();
  if (rest) {
    throw new Error(`${env.source}: HTML in a text: ${rest}`);
  }
  return "";
};

/* @source, @address  the file, and where its page is
 * @seen  a set of paths, which grows by what the text links to
 * Return: {title, html, sections: [{id, heading, level, text}]} */
export function renderText(text, {source, address, seen}) {
  const env = {source, address, seen};
  const tokens = markdown.parse(text, env), sections = [];

  tokens.forEach((token, i) => {
    const words = (of) => of.children.filter(({type}) =>
      ["text", "code_inline", "softbreak"].includes(type))
      .map(({content}) => content || " ").join("");
    if (token.type === "heading_open") {
      sections.push({id: token.attrGet("id"), level: Number(token.tag[1]),
        heading: words(tokens[i + 1]), text: ""});
    } else if (token.type === "inline" && sections.length &&
        tokens[i - 1].type !== "heading_open") {
      sections.at(-1).text += words(token) + "\n";
    }
  });
  return {title: sections[0]?.heading || source, sections,
    html: markdown.renderer.render(tokens, markdown.options, env)};
}
