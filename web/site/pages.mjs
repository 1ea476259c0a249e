/* pages.mjs: which files of the repository the site has, and at which address.
 * The site's folders are the repository's, so that links stay what they are:
 *
 *     labs/08_uneven_chunks/README.md   labs/08_uneven_chunks/index.html
 *     docs/glossary.md                  docs/glossary.html
 *     docs/measured/ci.txt              docs/measured/ci.txt.html
 *     docs/beyond-c/                    docs/beyond-c/index.html
 *     docs/course-map.svg               docs/course-map.svg
 */
import {existsSync, statSync} from "node:fs";
import {dirname, extname, join, normalize, relative} from "node:path";
import {namesIn, originOf, readText} from "../tools/sources.mjs";

export {readText};

/* A page shows them after a lab is passed, or one step at a time. */
const HELD_BACK = /^solutions\/|^labs\/\d\d_\w+\/(hints|quiz)\.md$/;
const PICTURES = [".svg", ".png"];
const LARGEST_BYTES = 200 * 1024;       // of a text that is shown as it is

/* How a file becomes part of the site: "markdown", "deck", "picture", "text",
 * "folder", or null where it does not. */
export function kindOf(path) {
  if (path.startsWith("..") || HELD_BACK.test(path) ||
      !existsSync(originOf(path))) {
    return null;
  }
  const found = statSync(originOf(path));
  if (found.isDirectory()) {
    return path === "." ? null :
      existsSync(join(path, "README.md")) ? "markdown" : "folder";
  }
  if (path.endsWith(".md")) {
    return /^slides\/\d\d_\w+\.md$/.test(path) ? "deck" : "markdown";
  }
  if (PICTURES.includes(extname(path))) {
    return "picture";
  }
  return found.size <= LARGEST_BYTES ? "text" : null;
}

/* A folder's text is its README. */
export const sourceOf = (path) =>
  kindOf(path) === "markdown" && !path.endsWith(".md") ?
    join(path, "README.md") : path;

/* The start page is the site's own, so the repository's README is another. */
export function addressOf(path) {
  const source = sourceOf(path);
  switch (kindOf(path)) {
  case "markdown":
    return source === "README.md" ? "readme.html" :
      source.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");
  case "deck": return source.replace(/\.md$/, ".html");
  case "folder": return join(source, "index.html");
  case "text": return source + ".html";
  case "picture": return source;
  default: return null;
  }
}

/* @address  a path of the site
 * Return: the way to it from the page at `from`, for a link. */
export const linkTo = (address, from) =>
  relative(dirname(from), address) || ".";

/* From a link in the file `source` to a path of the repository. */
export const pathOf = (link, source) =>
  normalize(join(dirname(source), decodeURI(link))).replace(/\/$/, "");

/* Names of the labs: 08_uneven_chunks. */
export const labNames = () => namesIn("labs", /^\d\d_/);

/* Paths of the decks. */
export const deckPaths = () => namesIn("slides", /^\d\d_.*\.md$/)
  .map((name) => join("slides", name));

/* What the site begins with; all else is there because a page links to it. */
export function firstPages() {
  return ["README.md", "labs/README.md", ...labNames().map((name) =>
    join("labs", name, "README.md")), "docs/cheat-sheet.md", "docs/glossary.md",
  ...namesIn("docs", /\.md$/).map((name) => join("docs", name)), "LICENSE"];
}
