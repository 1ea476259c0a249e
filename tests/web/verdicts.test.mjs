/* verdicts.test.mjs: a grade in the tab is the native grade, byte for byte: what
 * it prints and its JSON, but for the seconds. Labs 08, 07 and 01, solution and
 * skeleton. VERDICTS names others, and several of these words may stand there:
 *
 *   labs     solutions and skeletons of all labs
 *   1/6      each sixth file of tests/corpus and tests/cheats, from the first
 *            on; 2/6: from the second on; 1/1: all of them. In Chromium alone
 *   08       lab 08 and its corpus
 *   a/path   this submission
 *
 * What differs stands in differences.txt with its reason, and has to differ, but
 * for what does so at times.
 * Both texts of what does are in build/verdicts/tab/ and native/.
 * TABS: so many tabs grade at a time, 2 in Chromium; two are too much for
 * Firefox, which runs out of memory.
 */
import {execFile, execFileSync} from "node:child_process";
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync,
  writeFileSync} from "node:fs";
import {halfOf} from "../../web/tools/sources.mjs";
import {askEngine, check, run, test, which} from "./harness.mjs";

const wanted = (process.env.VERDICTS || "").split(" ").filter(Boolean);
const tabs = Number(process.env.TABS || (which === "firefox" ? 1 : 2));
const LABS = readdirSync("labs").filter((name) => /^\d\d_/.test(name)).sort();
const FEW = ["08", "07", "01"];
const GRADE_MS = 180000;
const PLACE = "build/verdicts";

/* ---- what is graded ---- */

const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

function lines(program, args) {
  return execFileSync(program, args, {encoding: "utf8"}).trim().split("\n");
}

function solutionAndSkeleton(lab) {
  const flags = existsSync(`solutions/${lab}/flags`);
  return ["solution", "skeleton"].map((half) => ({name: `${half}s/${lab}`, lab,
    text: halfOf(`${lab}/lab.cu`, half),
    flags: flags ? halfOf(`${lab}/flags`, half) : ""}));
}

/* Differences become files below build/, whose flags lie beside them. What is
 * for any lab is graded in lab 08, as tests/cheats/run.sh does. */
function submissions(paths) {
  const files = paths.length ? lines("tools/submission", paths) : [];
  return files.map((file, i) => ({name: paths[i], text: read(file),
    lab: LABS.find((lab) => file.includes(`/${lab}/`)) ?? LABS[7],
    flags: read(file.replace(/\.\w+$/, ".flags"))}));
}

const filesBelow = (folder) => readdirSync(folder, {recursive: true}).sort()
  .filter((name) => /\.(diff|cu)$/.test(name))
  .map((name) => `${folder}/${name}`);

/* By lab, so that of each lab there are as many as of the others. */
function sample(word) {
  const [first, step] = word.split("/").map(Number);
  return which === "firefox" ? [] : ["tests/corpus", "tests/cheats"].flatMap((folder) =>
    readdirSync(folder).sort().filter((name) => !name.endsWith(".sh"))
      .flatMap((lab) => filesBelow(`${folder}/${lab}`)
        .filter((_, i) => i % step === first - 1)));
}

function allWanted() {
  const labs = LABS.filter((lab) => wanted.includes("labs") ||
    wanted.includes(lab.slice(0, 2)) || (!wanted.length &&
      FEW.includes(lab.slice(0, 2))));
  const paths = wanted.flatMap((word) =>
    /^\d+\/\d+$/.test(word) ? sample(word) : word.includes("/") ? [word] :
      LABS.filter((lab) => lab.startsWith(`${word}_`))
        .flatMap((lab) => filesBelow(`tests/corpus/${lab}`)));
  return [...labs.flatMap(solutionAndSkeleton), ...submissions(paths)]
    // One lab tells whether Firefox's engine is another.
    .filter(({lab}) => which !== "firefox" || wanted.length || lab === LABS[7]);
}

/* ---- both grades ---- */

const withoutSeconds = (json) => json.replace(/^ *"seconds": .*\n/m, "");

/* Its file has another place here than in the tab, and that shows; a longer one,
 * so that lines break elsewhere where it is named behind the head. */
function gradeNatively({lab, text, flags}, place) {
  const folder = `${place}/${lab}`, json = `${folder}/result.json`;
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  writeFileSync(`${folder}/lab.cu`, text);
  if (flags) {
    writeFileSync(`${folder}/flags`, flags);
  }
  const placed = (words) => words.replaceAll(`${folder}/`, `labs/${lab}/`);
  return new Promise((resolve) => execFile("build/bin/grade", ["--backend",
    "vgpu", "--file", `${folder}/lab.cu`, "--json", json, lab],
  {encoding: "utf8"}, (error, stdout) => resolve({status: error?.code ?? 0,
    stdout: placed(stdout), breaks: stdout.split(`${folder}/`).length > 2,
    json: placed(withoutSeconds(read(json)))})));
}

async function gradeInTab(page, url, {lab, text, flags}) {
  const answer = await askEngine(page, url, {do: "grade", lab, text, flags},
    GRADE_MS);
  return {...answer, json: withoutSeconds(answer.json ?? "")};
}

/* Without words and measures. */
const judged = ({json, ...rest}) => ({...rest, stdout: "", json: json.match(
  /"(name|passed|score|max_score|diagnosis_id)": [^,}\n]*/g).join("\n")});

/* Input is random. Where another native grade is in other words, too, they are
 * nothing to compare; two of them may be the same by chance, four are not. */
async function difference(tab, one, place) {
  const native = await gradeNatively(one, place);
  const found = firstDifference(tab, native);
  let random = false;
  for (let i = 0; i < 3 && found && !random && !tab.error; i++) {
    random = firstDifference(await gradeNatively(one, place), native) !== "";
  }
  return {native, found: random ?
    firstDifference(judged(tab), judged(native)) : found};
}

function keep(where, {name}, {stdout = "", json = ""}) {
  const folder = `${PLACE}/${where}`;
  mkdirSync(folder, {recursive: true});
  writeFileSync(`${folder}/${name.replaceAll("/", "_")}`, stdout + json);
}

/* The first line in which they differ, or "". */
function firstDifference(tab, native) {
  if (tab.error) {
    return `the tab says: ${tab.error}`;
  }
  for (const what of ["stdout", "json"]) {
    const [mine, theirs] = [tab[what], native[what]].map((text) =>
      text.split(what === "stdout" && native.breaks ? /\s+/ : "\n"));
    for (let i = 0; i < Math.max(mine.length, theirs.length); i++) {
      if (mine[i] !== theirs[i]) {
        return `${what} line ${i + 1}\n  tab:    ${mine[i]}\n` +
          `  native: ${theirs[i]}`;
      }
    }
  }
  return tab.status === native.status ? "" :
    `status ${tab.status}, natively ${native.status}`;
}

const known = new Map(read("tests/web/differences.txt").split("\n")
  .filter((line) => line && !line.startsWith("#"))
  .map((line) => [line.split(" ")[0], line.replace(/^\S+ +/, "")]));

await run(async ({browser, address}) => {
  const left = allWanted();
  let equal = 0, differ = 0;

  await test("differences.txt names what is there", async () => {
    const gone = [...known.keys()].filter((name) => !existsSync(
      name.replace("skeletons/", "solutions/")));
    check(!gone.length, gone.join(" "));
  });

  async function compare(page, one, place) {
    const tab = await gradeInTab(page, address("engine/engine.js"), one);
    const {native, found} = await difference(tab, one, place);
    equal += !found;
    differ += !!found;
    if (found) {
      keep("tab", one, tab);
      keep("native", one, native);
      console.log(page.problems.splice(0).join("\n").replace(/^/gm, "# "));
    }
    if (known.has(one.name)) {
      check(found || known.get(one.name).startsWith("at times"),
        `it is equal, though differences.txt says: ${known.get(one.name)}`);
    } else {
      check(!found, found);
    }
  }

  async function lane(_, number) {
    const page = await browser.open(address("index.html"));
    const place = `${PLACE}/${process.pid}.${number}`;

    for (let one; (one = left.shift());) {
      await test(`${one.name} has the native grade`,
        () => compare(page, one, place));
    }
    rmSync(place, {recursive: true, force: true});
    await page.close();
  }

  await Promise.all(Array.from({length: tabs}, lane));
  console.log(`# ${equal} equal, ${differ} different`);
});
