/* similarity.mjs DOLOS SKELETON OUT NN: which submissions of lab NN are alike. Run by
 * tools/similarity, which says what the arguments are. The work is Dolos's. */
import {existsSync, readFileSync, renameSync, writeFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [folder, skeleton, out, number] = process.argv.slice(2);
const {Dolos, File} = await import(pathToFileURL(resolve(folder,
  "node_modules/@dodona/dolos-lib/dist/index.js")));
const SHOWN = 20;

/* Rows of a CSV file as objects: quotes double, a row is a line. */
function readCsv(path) {
  const [head, ...rows] = readFileSync(path, "utf8").trim().split("\n")
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
      .map(([, cell]) => cell.replace(/^"([\s\S]*)"$/, "$1")
        .replace(/""/g, '"')));
  return rows.map((row) =>
    Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

/* Of a student who has a grade: NN/KEY.json, so NN/KEY/lab.cu is what was graded. */
const students = readCsv(join(out, number, "grades.csv"))
  .filter((row) => row.json)
  .map((row) => ({name: row.student,
    path: join(out, row.json.replace(/\.json$/, ""), "lab.cu")}))
  .filter(({path}) => existsSync(path));
if (students.length < 2) {
  console.error(`similarity: lab ${number} has ${students.length} submissions`);
  process.exit(2);
}
const names = new Map(students.map(({name, path}) => [path, name]));
const read = (path) => new File(path, readFileSync(path, "utf8"));
/* CUDA is C++ to its parser; a launch's <<< >>> is a few odd words to it. */
const report = await new Dolos({language: "cpp"}).analyze(
  students.map(({path}) => read(path)), undefined, read(skeleton));
const pairs = report.allPairs().map((pair) => ({
  left: names.get(pair.leftFile.path), right: names.get(pair.rightFile.path),
  similarity: pair.similarity, longest: pair.longest}))
  .sort((a, b) => b.similarity - a.similarity || b.longest - a.longest);

const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
const table = join(out, number, "similarity.csv");
writeFileSync(table + ".new", "similarity,longest,student,other\n" +
  pairs.map(({left, right, similarity, longest}) => [similarity.toFixed(3),
    longest, quoted(left), quoted(right)].join(",") + "\n").join(""));
renameSync(table + ".new", table);
console.log(`lab ${number}: ${students.length} submissions, ` +
  `${pairs.length} pairs: ${table}`);
console.log("similarity  longest  pair");
pairs.slice(0, SHOWN).forEach(({left, right, similarity, longest}) =>
  console.log(`${similarity.toFixed(3).padStart(10)}  ` +
    `${String(longest).padStart(7)}  ${left}, ${right}`));
