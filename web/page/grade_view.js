/* grade_view.js: a grade, the diagnosis first, then the checks with points */
import {make, outputOf} from "./dom.js";
import {messagesView} from "./messages.js";

/* As the headings of a page are named in links: lower case, no signs. */
export function anchorOf(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim()
    .replace(/\s/g, "-");
}

/** "Read: What to do", a link to that heading of the README on this page. */
function readLink(read) {
  const target = document.getElementById(anchorOf(read));
  const link = make("a", {href: "#" + anchorOf(read)}, read);
  link.addEventListener("click", () => {
    document.dispatchEvent(new CustomEvent("lab-read"));
    target?.scrollIntoView();
  });
  return make("p", {}, "Read: ", target ? link : read);
}

/* It begins with the words of the check's line, which are no sentence. Below it
 * stands what a compiler said, in lines of its own. */
function explanation({diagnosis, line}, at) {
  const [first, ...rest] = diagnosis.split("\n");
  const words = line && first.startsWith(line) ?
    first.replace(/^[a-z]+(?= )/, (word) =>
      word[0].toUpperCase() + word.slice(1)) : first;
  const said = rest.join("\n").trimEnd();
  return [make("p", {}, words), said ? messagesView(said, at) : ""];
}

/* The same words for several checks are said once. What the grade prints says
 * more where a check's line has it already, so only what is new stands here. */
function diagnoses(checks, at) {
  const said = new Set();
  return checks.filter((c) => !c.passed && c.diagnosis && c.diagnosis_id &&
    !said.has(c.diagnosis_id) && said.add(c.diagnosis_id))
    .map((c) => make("div", {class: "diagnosis"},
      make("h3", {}, c.name), ...explanation(c, at),
      c.read ? readLink(c.read) : ""));
}

function checkRow(c, others) {
  const tried = !/^not tried/.test(c.line);
  const mark = c.passed ? "ok" : tried ? "NO" : "-";
  const same = mark === "NO" && others.has(c.diagnosis_id);
  if (mark === "NO" && c.diagnosis_id) {
    others.add(c.diagnosis_id);
  }
  return make("tr", {class: c.passed ? "ok" : tried ? "no" : "not-tried"},
    make("td", {}, mark), make("th", {scope: "row"}, c.name),
    make("td", {class: "n"}, `${c.score} / ${c.max_score}`),
    make("td", {}, same ? "the same mistake" : c.line));
}

/** @param grade labs[0] of grade's JSON; @param stdout what `make grade` prints
 * @param count words about attempts
 * @param at {name, show(line)}: the file in the editor */
export function gradeView(grade, stdout, count, at) {
  const box = make("div", {class: "grade"}), seen = new Set();
  if (grade) {
    box.append(make("p", {class: grade.passed ? "verdict passed" : "verdict"},
      `${grade.passed ? "passed" : "not passed"}: ${grade.score} of ` +
      `${grade.max_score} points`),
    make("p", {class: "muted"}, count),
    ...diagnoses(grade.checks, at),
    make("div", {class: "scroll", tabindex: "0", role: "region",
      "aria-label": "checks"},
    make("table", {}, make("caption", {},
      `lab ${grade.lab} on the virtual GPU, ${grade.device}`),
    make("thead", {}, make("tr", {}, ...["", "check", "points", ""].map((t) =>
      make(t ? "th" : "td", {scope: t ? "col" : null}, t)))),
    make("tbody", {}, ...grade.checks.map((c) => checkRow(c, seen))))));
  }
  box.append(make("details", {open: !grade},
    make("summary", {}, "As make grade prints it"), outputOf(stdout)));
  return box;
}
