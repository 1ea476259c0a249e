/* worker-list.mjs: the service worker, with the list of all files and their
 * sums in front. A byte that changes anywhere changes its version. */
import {createHash} from "node:crypto";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";

/* Fetched when a program is first compiled, and kept from then on. */
const LARGE_BYTES = 1e6;

/* Made here, of the sums of all others. */
const OWN = ["service-worker.js", "site/version.json"];

const sumOf = (data) => createHash("sha256").update(data).digest("hex");

/* @out     the site's folder
 * @worker  the source of service-worker.js
 * Return: {version, bytes}: of what is fetched at the first visit. */
export function writeWorker(out, worker) {
  const source = readFileSync(worker, "utf8"), files = {}, later = [];
  let bytes = 0;
  const names = readdirSync(out, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name)
      .slice(join(out).length + 1)).filter((name) => !OWN.includes(name))
    .sort();
  for (const name of names) {
    const data = readFileSync(join(out, name));
    files[name] = sumOf(data);
    if (data.length > LARGE_BYTES) {
      later.push(name);
    } else {
      bytes += data.length;
    }
  }
  const version = sumOf(source + JSON.stringify(files)).slice(0, 12);
  writeFileSync(join(out, "service-worker.js"), `const SITE = ${
    JSON.stringify({version, later, files}, null, 1)};\n${source}`);
  writeFileSync(join(out, "site/version.json"), JSON.stringify({version}));
  return {version, bytes};
}
