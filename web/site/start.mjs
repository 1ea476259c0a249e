/* start.mjs: pages that are no file of the repository: what a visitor sees
 * first, the list of decks, the documents, the search. */
import {escape, renderText} from "./markdown.mjs";
import {linkTo} from "./pages.mjs";

/* page/progress.js fills it. */
export const PROGRESS = '<p id="progress" role="status"></p>';

/* @labs  [{name, title, idea}]; @doing: may a lab be done in the tab? */
export function startPage({labs, doing, seen}) {
  const address = "index.html";
  const figure = (path, alt) => renderText(`![${alt}](${path})`,
    {source: "start.md", address, seen}).html;
  const list = labs.map(({name, idea}) => `<li data-lab="${name}">` +
    `<a href="labs/${name}/index.html"><b>${name.slice(0, 2)}</b> ${
      escape(name.slice(3).replace(/_/g, " "))}</a> ${escape(idea)} ` +
    '<span class="lab-state"></span></li>').join("\n");

  return {title: "CUDA Streams Lab", address, kind: "start",
    scripts: doing ? ["page/progress.js"] : [], html: `
<div class="first">
<h1>Learn CUDA streams. No GPU needed.</h1>
<p class="lead">How to copy, compute and copy back at the same time, and how to
be sure that it is right: ${labs.length} graded labs on a <em>virtual GPU</em>,
which draws what ran when and names the two lines that race.</p>
<p class="ways"><a class="button" href="labs/${labs[0].name}/index.html">${
  doing ? "Start lab 01 in your browser" : "Begin with lab 01"}</a>
<a class="button second" href="labs/index.html">All labs</a></p>
</div>
${figure("labs/07_chunked_overlap/figures/chunks.svg", "Above, one piece: copy " +
  "in, kernel and copy back take turns. Below, 16 chunks: all three engines " +
  "work at once, and it takes half the time.")}
<p>Above, the work in one piece; below, the same work cut into chunks, each in a
stream of its own. To get from one picture to the other, and to any size, any
number of GPUs and more data than the memory holds, is what the labs teach.</p>
<h2 id="labs">The labs</h2>
${PROGRESS}
<ol class="labs">
${list}
</ol>
<h2 id="map">Which builds on which</h2>
${figure("docs/course-map.svg", "Which lab builds on which. First steps: 01 " +
  "stands alone; 02 leads to 03, 03 to 04. Streams: 04 leads to 05, 06, 10 and " +
  "16; 05 and 07 lead to 18. Overlap: 03 leads to 07, 07 to 08, 08 to 09 and " +
  "to 15, 15 to 17. Several GPUs: 08 leads to 11, 11 to 12 and to 14; 12 and " +
  "09 lead to 13.")}
<h2 id="ways">Other ways in</h2>
<ul>
<li><a href="docs/prerequisites.html">Do you know enough to begin?</a> Ten
questions about C and the first steps with CUDA.</li>
<li><a href="docs/cheat-sheet.html">Cheat sheet</a> and <a
href="docs/glossary.html">glossary</a>, for the desk.</li>
<li><a href="slides/decks.html">Decks</a>, with what is said to each slide.</li>
<li><a href="readme.html">On your own machine</a>, with your own GPU or
without: Linux, a compiler and make.</li>
<li><a href="docs/teaching.html">If you teach</a>: plans, sheets, a grader for a
class.</li>
</ul>`};
}

export function decksPage(decks) {
  const rows = decks.map(({title, address, slides, minutes}) =>
    `<tr><td><a href="${linkTo(address, "slides/decks.html")}">${
      escape(title)}</a></td><td class="to-right">${slides}</td>` +
    `<td class="to-right">${minutes} min</td></tr>`).join("\n");
  return {title: "Decks", address: "slides/decks.html", html: `
<h1>Decks</h1>
<p>One for each lab, one that opens the course and one that closes it. Each is a
page to read: the slides, and below each what is said to it. <em>Present</em>
fills the screen; arrow keys turn the slides, and Escape ends it.</p>
<div class="table"><table>
<thead><tr><th>deck</th><th class="to-right">slides</th>
<th class="to-right">time</th></tr></thead>
<tbody>
${rows}
</tbody></table></div>
<p>How they are written, and how they are made for a projector and for paper:
<a href="index.html">slides/README.md</a>.</p>`};
}

export function documentsPage(pages) {
  const group = (name, holds) => {
    const rows = pages.filter(({address, source}) => source.endsWith(".md") &&
      holds(address)).map(({address, title}) =>
      `<li><a href="${address}">${escape(title)}</a></li>`);
    return rows.length ? `<h2>${name}</h2>\n<ul>${rows.join("\n")}</ul>` : "";
  };
  const forAll = /^docs\/(cheat-sheet|glossary|prerequisites|what-changed|where-memory-misleads|beyond-c|hip|where\/.*)\.html$/;
  const teaching = /^docs\/(teaching|class|grading|results|students-copy)\.html$/;
  const lab = /^(labs|slides\/\d\d_)/;
  return {title: "Documents", address: "documents.html", html: `
<h1>Documents</h1>
${group("For everybody", (a) => forAll.test(a))}
${group("For those who teach", (a) => teaching.test(a))}
${group("How it works, and for those who change it", (a) =>
    !forAll.test(a) && !teaching.test(a) && !lab.test(a))}`};
}

export const searchPage = () => ({title: "Search", address: "search.html",
  scripts: ["site/search.js"], html: `
<h1>Search</h1>
<form role="search" id="ask"><input type="search" name="q" id="words"
aria-label="Search for"> <button>Search</button></form>
<p id="found" role="status">Searching takes scripts; they are off here.</p>
<ol id="hits"></ol>`});
