/* content.mjs: what the lab's page needs of a lab, from the repository's files
 *
 * hints.md and quiz.md are read as tools/hint and tools/quiz read them:
 * CONTRIBUTING.md has both forms. Markup is made here, at build time, with
 * HTML in Markdown switched off.
 */
import {createHash} from "node:crypto";
import {existsSync, readFileSync} from "node:fs";
import {join} from "node:path";
import MarkdownIt from "markdown-it";
import {halfOf, namesIn} from "../tools/sources.mjs";

const markdown = new MarkdownIt({html: false});

export const sumOf = (text) =>
  createHash("sha256").update(text).digest("hex");

/** hints.md: [{todo, title, steps: [{title, html}]}] */
export function readHints(text) {
  const todos = [];
  for (const part of text.split(/^## /m).slice(1)) {
    const [, todo, title] = part.match(/^TODO (\d+):? *(.*)/) || [];
    if (todo) {
      todos.push({todo: +todo, title, steps: part.split(/^### /m).slice(1)
        .map((step) => ({title: step.slice(0, step.indexOf("\n")),
          html: markdown.render(step.slice(step.indexOf("\n")))}))});
    }
  }
  return todos;
}

/* One question: text, answers and why, each of lines of its own. */
function readQuestion(part) {
  const text = [], answers = [], why = [];
  for (const line of part.split("\n").slice(1)) {
    const answer = line.match(/^- \[([ x])\] (.*)/);
    if (answer) {
      answers.push({right: answer[1] === "x",
        html: markdown.renderInline(answer[2])});
    } else if (line.startsWith(">")) {
      why.push(line.replace(/^> ?/, ""));
    } else {
      text.push(line);
    }
  }
  return {html: markdown.render(text.join("\n")), answers,
    why: markdown.render(why.join("\n"))};
}

/** quiz.md: {intro, questions: [{html, answers: [{html, right}], why}]} */
export function readQuiz(text) {
  const [before, ...parts] = text.split(/^## Q(?=\d)/m);
  return {intro: markdown.render(before.replace(/^# .*$/m, "")),
    questions: parts.map(readQuestion)};
}

/** The compiler's options that go with a lab.cu, where the lab has such a file,
 * else undefined. */
export function readFlags(root, name, half) {
  const file = join(name, "flags");
  return existsSync(join(root, "solutions", file)) ? halfOf(file, half) :
    undefined;
}

/** A lab's page as data. Its lab.cu in the working tree is the builder's own. */
export function readLab(root, name) {
  const folder = join(root, "labs", name);
  const read = (file) => readFileSync(join(folder, file), "utf8");
  const skeleton = halfOf(join(name, "lab.cu"), "skeleton");
  return {lab: name, title: read("README.md").match(/^# (.*)/m)[1], skeleton,
    base: sumOf(skeleton), header: read("lab.h"),
    flags: readFlags(root, name, "skeleton"),
    hints: readHints(read("hints.md")), quiz: readQuiz(read("quiz.md"))};
}

/** The solution, as `make solution` prints it. */
export const readSolution = (name) =>
  halfOf(join(name, "lab.cu"), "solution");

export const labNames = () => namesIn("labs", /^\d\d_/);

/** The device profiles: [{id, name}], for the playground's list. */
export function readDevices(root) {
  const folder = join(root, "vgpu/profiles");
  return namesIn("vgpu/profiles", /\.profile$/)
    .map((file) => ({id: file.replace(/\.profile$/, ""),
      name: readFileSync(join(folder, file), "utf8")
        .match(/^name = (.*)$/m)[1]}));
}

/** What a small program says of itself in its comments: the first one is its
 * title and text; "run:" has its settings. */
export function readProgram(root, text) {
  const words = text.match(/^\/\*([^]*?)\*\//)[1].replace(/\n \* ?/g, "\n")
    .replace(/^\s*\S+\.cu: /, "").trim();
  const [, run] = text.match(/^\/\* run: (.*?) \*\//m) || [];
  const settings = Object.fromEntries((run || "").split(" ").filter(Boolean)
    .map((word) => word.split("=")));
  const device = settings.VGPU_DEVICE || null;
  // A device of its own comes along as text.
  const profile = device?.endsWith(".profile") ?
    readFileSync(join(root, device), "utf8") : null;
  const [, build] = text.match(/^\/\* build: (.*?) \*\//m) || [];
  return {title: words.split(/[.?]\s/)[0].replace(/\s+/g, " ") +
    (words.match(/^[^]*?([.?])(\s|$)/)?.[1] === "?" ? "?" : ""),
  words: words.replace(/\s+/g, " "), device, profile,
  gpus: +(settings.VGPU_COUNT || 1), check: settings.VGPU_CHECK !== "0",
  options: build ? build.split(" ") : [], text};
}
