/* rules.mjs: what every deck has. Each function takes the slides as measure.js
 * describes them and returns problems, one a line. */
import {spawnSync} from "node:child_process";
import {existsSync, readFileSync, writeFileSync} from "node:fs";
import {join, resolve} from "node:path";

const MIN_SLIDES = 10, MAX_SLIDES = 16, MAX_MINUTES = 60;

export const layout = (slides) => slides.flatMap((slide, i) =>
  slide.problems.map((problem) => `slide ${i + 1}: ${problem}`));

export function form(slides) {
  const found = [];
  const check = (good, text) => good || found.push(text);
  const places = (name) => slides.map((slide, i) => [slide, i])
    .filter(([slide]) => slide.classes.includes(name)).map(([, i]) => i);
  const one = (name) => {
    const {length} = places(name);
    check(length === 1, `${length} slides of class "${name}", not 1`);
  };

  check(slides.length >= MIN_SLIDES && slides.length <= MAX_SLIDES,
    `${slides.length} slides, not ${MIN_SLIDES} to ${MAX_SLIDES}`);
  check(slides[0]?.classes.includes("title"),
    'the first slide is not of class "title"');
  ["title", "predict", "answer", "demo", "check"].forEach(one);
  if (places("predict").length === 1 && places("answer").length === 1) {
    check(places("answer")[0] === places("predict")[0] + 1,
      "the answer does not follow the prediction");
  }
  places("demo").forEach((i) => check(slides[i].shell.trim(),
    `slide ${i + 1}: a live demo shows its command in a block "sh"`));
  places("answer").forEach((i) => check(slides[i].pictures,
    `slide ${i + 1}: an answer shows the timeline`));
  places("answer").forEach((i) => check(slides[i].steps > 1,
    `slide ${i + 1}: an answer comes step by step: [steps: ...](...)`));
  slides.forEach((slide, i) => check(slide.heading,
    `slide ${i + 1} has no heading`));
  return found;
}

export function notes(slides) {
  const found = [];
  let minutes = 0;
  slides.forEach(({note}, i) => {
    const time = note.match(/^(\d+) min\b/);
    minutes += time ? Number(time[1]) : 0;
    if (!note) {
      found.push(`slide ${i + 1} has no notes`);
    } else if (!time) {
      found.push(`slide ${i + 1}: its notes do not begin with "N min"`);
    }
    if (note && !(/\bask\b/i.test(note) && note.includes("?"))) {
      found.push(`slide ${i + 1}: its notes ask nothing ("Ask: ...?")`);
    }
  });
  if (minutes > MAX_MINUTES) {
    found.push(`${minutes} minutes in all, more than ${MAX_MINUTES}`);
  }
  return found;
}

/* @folder: where the page lies, to which its links are relative. */
export const links = (slides, folder) => slides.flatMap((slide, i) =>
  slide.links.filter((link) => !/^https:\/\/[\w.-]+\.[a-z]+(\/\S*)?$/.test(link)
    && !existsSync(join(folder, link.replace(/#.*/, ""))))
    .map((link) => `slide ${i + 1}: ${link} leads nowhere`));

/* Not words: options, names with digits, _ or mixed case, and capitals. */
const NAMES = /(?<!\w)--?[a-zA-Z][\w-]*|[\w-]*[\d_]\w*|\b[a-z]+[A-Z]\w*|\b[A-Z]+[a-z]*[A-Z]\w*|\b[A-Z]+\b/g;
const SPELLER = ["--lang=en_GB", "--encoding=utf-8"];

export function spelling(slides, words, scratch) {
  const list = readFileSync(words, "utf8").split("\n")
    .filter((line) => line && !line.startsWith("#"));
  writeFileSync(scratch, ["personal_ws-1.1 en 0", ...list, ""].join("\n"));
  return slides.flatMap(({words: text, note}, i) => {
    const input = `${text}\n${note}`.replace(/https?:\S+/g, " ")
      .replace(NAMES, " ");
    const {stdout, status, error} = spawnSync("aspell", [...SPELLER,
      `--personal=${resolve(scratch)}`, "list"], {input, encoding: "utf8"});
    if (status !== 0) {
      throw new Error(`aspell: ${error || "failed"}`);
    }
    return [...new Set(stdout.split("\n").filter(Boolean))]
      .map((word) => `slide ${i + 1}: is "${word}" a word? ${words} has those ` +
        "that aspell does not know");
  });
}
