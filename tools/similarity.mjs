/* similarity.mjs DOLOS SKELETON OUT NN: which submissions of lab NN are alike. Run by
 * tools/similarity, which says what the arguments are. The work is Dolos's. */
import {existsSync, readFileSync, renameSync, writeFileSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const [folder, skeleton, out, number] = process.argv.slice(2);
const {Dolos, File} = await import(pathToFileURL(resolve(folder,
  "node_modules/@dodona/dolos-lib/dist/index.js")));
const SHOWN = 20;

/* Lines "STUDENT NN/KEY.json", with a tab between, of those who have a grade:
 * NN/KEY/lab.cu is what was graded. */
const students = readFileSync(0, "utf8").split("\n")
  .map((line) => line.split("\t"))
  .filter(([, json]) => json?.endsWith(".json"))
  .map(([name, json]) => ({name,
    path: join(out, json.replace(/\.json$/, ""), "lab.cu")}))
  .filter(({path}) => existsSync(path));
if (students.length < 2) {
  console.error(`similarity: lab ${number} has ${students.length} submissions`);
  process.exit(2);
}

/* Files that are equal byte for byte are one to compare, and a group to name. */
const groups = new Map();
for (const student of students) {
  const key = readFileSync(student.path, "latin1");
  groups.set(key, [...groups.get(key) ?? [], student]);
}
const begun = readFileSync(skeleton, "latin1");
const distinct = [...groups.values()].map((group) => group[0]);
const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
const write = (name, head, rows) => {
  const table = join(out, number, name);
  writeFileSync(table + ".new", [head, ...rows, ""].join("\n"));
  renameSync(table + ".new", table);
  return table;
};
const same = [...groups].filter(([, group]) => group.length > 1)
  .sort(([, a], [, b]) => b.length - a.length);
write("same_files.csv", "group,student", same.flatMap(([, group], i) =>
  group.map(({name}) => `${i + 1},${quoted(name)}`)));
same.forEach(([key, group]) => console.log(`the same file${key === begun ?
  ", what students begin with" : ""}: ${group.map(({name}) => name).join(", ")}`));
if (distinct.length < 2) {
  write("similarity.csv", "similarity,longest,student,other", []);
  process.exit(0);
}
const names = new Map(students.map(({name, path}) => [path, name]));
const read = (path) => new File(path, readFileSync(path, "utf8"));
/* CUDA is C++ to its parser; a launch's <<< >>> is a few odd words to it. */
const report = await new Dolos({language: "cpp"}).analyze(
  distinct.map(({path}) => read(path)), undefined, read(skeleton));
const pairs = report.allPairs().map((pair) => ({
  left: names.get(pair.leftFile.path), right: names.get(pair.rightFile.path),
  similarity: pair.similarity, longest: pair.longest}))
  .sort((a, b) => b.similarity - a.similarity || b.longest - a.longest);

const table = write("similarity.csv", "similarity,longest,student,other",
  pairs.map(({left, right, similarity, longest}) => [similarity.toFixed(3),
    longest, quoted(left), quoted(right)].join(",")));
console.log(`lab ${number}: ${students.length} submissions, ` +
  `${pairs.length} pairs: ${table}`);
console.log("similarity  longest  pair");
pairs.slice(0, SHOWN).forEach(({left, right, similarity, longest}) =>
  console.log(`${similarity.toFixed(3).padStart(10)}  ` +
    `${String(longest).padStart(7)}  ${left}, ${right}`));
