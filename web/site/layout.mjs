/* layout.mjs: what all pages have: the policy, the way around, the contents. */
import {escape} from "./markdown.mjs";
import {linkTo} from "./pages.mjs";

/* Nothing from elsewhere, nothing that a text could bring along. WebAssembly
 * has no other way in than a word of its own; a frame is the timeline's, whose
 * pictures a page makes itself (data:, blob:). */
export const POLICY = ["default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'",
  "style-src 'self'", "img-src 'self' data: blob:", "font-src 'self'",
  "connect-src 'self'", "frame-src 'self'", "manifest-src 'self'",
  "base-uri 'none'", "form-action 'self'"].join("; ");

const WAYS = [["labs/index.html", "Labs"], ["slides/decks.html", "Decks"],
  ["docs/cheat-sheet.html", "Cheat sheet"], ["docs/glossary.html", "Glossary"],
  ["documents.html", "Documents"]];

const TEXT = ["site/text.css", "site/code.css"];

function head({title, address, kind, styles = [], scripts = []}) {
  const to = (path) => linkTo(path, address);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escape(title)}</title>
${["site/style.css", ...kind === "deck" ? [] : TEXT, ...styles].map((path) =>
    `<link rel="stylesheet" href="${to(path)}">`).join("\n")}
<link rel="icon" href="${to("site/icon.svg")}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${to("site/icon-180.png")}">
<link rel="manifest" href="${to("manifest.webmanifest")}">
${["site/site.js", ...scripts].map((path) =>
    `<script type="module" src="${to(path)}"></script>`).join("\n")}
</head>`;
}

function wayAround(address, play) {
  const to = (path) => linkTo(path, address);
  const ways = play ? [...WAYS, ["play/index.html", "Playground"]] : WAYS;
  const link = ([path, name]) => `<li><a href="${to(path)}"${
    path === address ? ' aria-current="page"' : ""}>${name}</a></li>`;
  return `<a class="skip" href="#main">To the text</a>
<header class="site-head">
<a class="site-name" href="${to("index.html")}">CUDA Streams Lab</a>
<nav aria-label="Site"><ul>${ways.map(link).join("")}</ul></nav>
<form role="search" action="${to("search.html")}">
<input type="search" name="q" aria-label="Search" placeholder="Search">
</form>
</header>
<p id="news" role="status" hidden></p>`;
}

/* A page's own headings. */
export function contents(sections) {
  const shown = sections.filter(({level, id}) => level === 2 && id);
  return shown.length < 3 ? "" : `<details class="contents" open>
<summary>On this page</summary>
<ul>${shown.map(({id, heading}) =>
    `<li><a href="#${id}">${escape(heading)}</a></li>`).join("\n")}</ul>
</details>
`;
}

/* page: title, address, html (of main), and where there is more than reading:
 * lab (its name), styles, scripts (paths of the site), kind (a class).
 * site: play (is there a playground?), version. */
export function pageOf(page, site) {
  const root = linkTo("index.html", page.address).replace(/index\.html$/, "");
  return `${head(page)}
<body class="${page.kind || "text"}" data-root="${root || "./"}"${
  page.lab ? ` data-lab="${page.lab}"` : ""}>
${wayAround(page.address, site.play)}
<main id="main">
${page.html}
</main>
<footer class="site-foot">
<p>CUDA Streams Lab ${escape(site.version)}. Licence: <a href="${
  linkTo("LICENSE.html", page.address)}">MIT</a>. This page asks no other server
for anything, and keeps nothing about you but in this browser.</p>
</footer>
</body>
</html>
`;
}
