/* sources.mjs: what of the repository goes into a site. The working tree is
 * somebody's: their own lab.cu is in it, backups, notes. So a folder has what is
 * the project's, by tools/sources, and what a student edits is made from the
 * solutions, by tools/skeleton. */
import {execFileSync} from "node:child_process";
import {existsSync, readdirSync, readFileSync} from "node:fs";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const EDITED = /^labs\/(\d\d_\w+\/(lab\.cu|flags))$/;
const print = (tool, ...words) => execFileSync(join(root, tool), words,
  {cwd: root, encoding: "utf8", maxBuffer: 1e8});

let known;                              // path of a folder: names in it
const told = new Set();

function foldersOf(paths) {
  const folders = new Map();
  for (const path of paths) {
    const parts = path.split("/");
    parts.forEach((name, i) => {
      const folder = parts.slice(0, i).join("/") || ".";
      folders.set(folder, (folders.get(folder) || new Set()).add(name));
    });
  }
  return folders;
}

/** Names of a folder's entries that are the project's, sorted; what else is
 * there and would be among them is told, once.
 * @folder  from the repository's root, "labs"
 * @which   what they are to match */
export function namesIn(folder, which = /./) {
  known ??= foldersOf(print("tools/sources", "*").split("\n").filter(Boolean));
  const own = known.get(folder) || new Set(), names = [];
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = join(folder, name);
    if (!which.test(name)) {
      continue;
    }
    if (own.has(name)) {
      names.push(name);
    } else if (!told.has(path) && !/\.bak-/.test(name)) {
      told.add(path);
      console.error(`  left out: ${path} (git add it to have it on the site)`);
    }
  }
  return names;
}

/** "skeleton" or "solution" of a file below solutions/. */
export const halfOf = (file, half) => print("tools/skeleton",
  ...(half === "solution" ? ["--solution"] : []), join("solutions", file));

/** The file of which `path` is made: itself, or the solution. */
export const originOf = (path) => path.replace(EDITED, "solutions/$1");

/** The text of a file, as it is before a student edits it. */
export function readText(path) {
  const [, edited] = path.match(EDITED) || [];
  return (edited && existsSync(join(root, originOf(path))) ?
    halfOf(edited, "skeleton") : readFileSync(resolve(root, path), "utf8"))
    .replace(/\r/g, "");
}
