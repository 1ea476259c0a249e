/* index.mjs: what a deck says about itself, and the page that lists all. */

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/* A deck's Markdown in its short form: without the slides whose notes begin with
 * "N min, long form". Their lines are empty, so that the others keep their
 * numbers. */
export function shortForm(text) {
  const slides = [[]];
  let fenced = false;

  text.split("\n").forEach((line) => {
    fenced = fenced !== line.startsWith("```");
    if (line === "---" && !fenced) {
      slides.push([]);
    }
    slides.at(-1).push(line);
  });
  return slides.map((lines) => lines.some((line) =>
    /^<!-- \d+ min, long form\b/.test(line)) ? lines.map(() => "") : lines)
    .flat().join("\n");
}

/* Of a deck's Markdown: its title, slides and minutes. */
export function deckFacts(text) {
  const [, front, body] = text.match(/^---\n([\s\S]*?)\n---\n([\s\S]*)$/) ||
    [null, "", text];
  const title = front.match(/^title:\s*"?(.*?)"?\s*$/m)?.[1] || "";
  const code = /^(```|~~~)[\s\S]*?^\1/gm;
  const slides = body.replace(code, "").split(/^---\s*$/m).length;
  const minutes = [...body.matchAll(/<!--\s*(\d+) min\b/g)]
    .reduce((sum, match) => sum + Number(match[1]), 0);
  return {title, slides, minutes};
}

export function indexPage(decks, course) {
  const rows = decks.map(({name, title, slides, minutes, handout}) =>
    `<tr><td><a href="${name}.html">${escape(title)}</a></td>` +
    `<td>${slides}</td><td>${minutes} min</td>` +
    `<td><a href="${name}.pdf">slides</a>` + (handout ?
      `, <a href="${name}_handout.pdf">with notes</a>` : "") + "</td></tr>").join("\n");
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>CUDA streams lab: slides</title>
<style>
body{font:18px/1.5 "Liberation Sans",Arial,Helvetica,sans-serif;
max-width:46em;margin:2em auto;padding:0 1em;color:#16202b;background:#fff}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3em .8em .3em 0;border-bottom:1px solid #c3cbd4}
a{color:#0d5bb3}
</style>
<h1>Slides</h1>
<p>In a deck: arrow keys turn the pages, <b>f</b> fills the screen, <b>o</b>
shows all pages, <b>p</b> opens the presenter view with notes, timing and the
next slide.</p>
<table>
<tr><th>deck</th><th>slides</th><th>time</th><th>to print</th></tr>
${rows}
</table>
${course ? `<p><a href="course_handout.pdf">All of it, with notes</a></p>` : ""}
</html>
`;
}
