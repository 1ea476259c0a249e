/* verdicts.test.mjs: a grade in the tab is the native grade, byte for byte: what
 * it prints and its JSON, but for the seconds. Labs 08, 07 and 01, solution and
 * skeleton; VERDICTS=labs takes those of all labs, VERDICTS=all the corpus, too,
 * VERDICTS="08 11" these labs with theirs, and a path of a submission that one.
 *
 * What differs stands in differences.txt with its reason, and has to differ.
 */
import {execFileSync, spawnSync} from "node:child_process";
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync,
  writeFileSync} from "node:fs";
import {check, run, test, which} from "./harness.mjs";

const wanted = (process.env.VERDICTS || "").split(" ").filter(Boolean);
const LABS = readdirSync("labs").filter((name) => /^\d\d_/.test(name)).sort();
const FEW = ["08", "07", "01"];
const GRADE_MS = 180000;
const PLACE = "build/verdicts";

/* ---- what is graded ---- */

const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

function skeletonOf(lab) {
  return execFileSync("tools/skeleton", [`solutions/${lab}/lab.cu`],
    {encoding: "utf8"});
}

function solutionOf(lab) {
  return execFileSync("tools/skeleton", ["--solution",
    `solutions/${lab}/lab.cu`], {encoding: "utf8"});
}

/* A difference becomes a file below build/, whose flags lie beside it. */
function submission(path) {
  const file = execFileSync("tools/submission", [path], {encoding: "utf8"})
    .trim();
  return {name: path, lab: LABS.find((lab) => path.includes(`/${lab}/`)),
    text: read(file), flags: read(path.replace(/\.\w+$/, ".flags"))};
}

function corpusOf(lab) {
  return ["wrong", "right"].flatMap((folder) => {
    const at = `tests/corpus/${lab}/${folder}`;
    return existsSync(at) ? readdirSync(at).sort()
      .filter((name) => /\.(diff|cu)$/.test(name))
      .map((name) => `${at}/${name}`) : [];
  });
}

function* submissions() {
  const all = wanted.includes("all");
  for (const lab of LABS) {
    const number = lab.slice(0, 2);
    const whole = all || wanted.includes(number);
    if (whole || wanted.includes("labs") ||
        (!wanted.length && FEW.includes(number))) {
      const flags = read(`solutions/${lab}/flags`);
      yield {name: `solutions/${lab}`, lab, flags, text: solutionOf(lab)};
      yield {name: `skeletons/${lab}`, lab, flags: read(`labs/${lab}/flags`),
        text: skeletonOf(lab)};
    }
    for (const path of whole ? corpusOf(lab) : []) {
      yield submission(path);
    }
  }
  for (const path of wanted.filter((word) => word.includes("/"))) {
    yield submission(path);
  }
}

/* ---- both grades ---- */

const withoutSeconds = (json) => json.replace(/^ *"seconds": .*\n/m, "");

/* Its file has another place here than in the tab, and that shows. */
function gradeNatively({lab, text, flags}) {
  const folder = `${PLACE}/${lab}`, json = `${folder}/result.json`;
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  writeFileSync(`${folder}/lab.cu`, text);
  if (flags) {
    writeFileSync(`${folder}/flags`, flags);
  }
  const {status, stdout} = spawnSync("build/bin/grade", ["--backend", "vgpu",
    "--file", `${folder}/lab.cu`, "--json", json, lab], {encoding: "utf8"});
  const placed = (words) => words.replaceAll(`${folder}/`, `labs/${lab}/`);
  return {status, stdout: placed(stdout),
    json: placed(withoutSeconds(read(json)))};
}

/* The worker stays: its compiler is loaded once. */
async function gradeInTab(page, {lab, text, flags}) {
  const answer = await page.evaluate((request, url, most) =>
    new Promise((resolve) => {
      globalThis.engine ??= new Worker(url, {type: "module"});
      const late = setTimeout(() => resolve({error: "no answer"}), most);
      globalThis.engine.onerror = (event) => resolve({error: event.message});
      globalThis.engine.onmessage = ({data}) => {
        if (data.progress === undefined) {
          clearTimeout(late);
          resolve(data);
        }
      };
      globalThis.engine.postMessage({id: 1, do: "grade", ...request});
    }), {lab, text, flags}, page.engineUrl, GRADE_MS);
  return {...answer, json: withoutSeconds(answer.json ?? "")};
}

/* The first line in which they differ, or "". */
function firstDifference(tab, native) {
  if (tab.error) {
    return `the tab says: ${tab.error}`;
  }
  for (const what of ["stdout", "json"]) {
    const [mine, theirs] = [tab[what], native[what]].map((t) => t.split("\n"));
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
  .map((line) => [line.split(" ")[0], line.replace(/^\S+ /, "")]));

await run(async ({browser, address}) => {
  const page = await browser.open(address("index.html"));
  let equal = 0, differ = 0;

  page.engineUrl = address("engine/engine.js");
  for (const one of submissions()) {
    if (which === "firefox" && !wanted.length && one.lab !== LABS[7]) {
      continue; // one lab tells whether its engine is another
    }
    await test(`${one.name} has the native grade`, async () => {
      const found = firstDifference(await gradeInTab(page, one),
        gradeNatively(one));
      equal += !found;
      differ += !!found;
      if (known.has(one.name)) {
        check(found, `it is equal, though differences.txt says: ` +
          known.get(one.name));
      } else {
        check(!found, found);
      }
    });
  }
  console.log(`# ${equal} equal, ${differ} different`);
  await page.close();
});
