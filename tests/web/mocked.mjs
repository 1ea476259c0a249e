/* mocked.mjs: the built site beside an engine that answers from a record, for
 * tests of the pages alone: build/web-mock-BROWSER. The record is made anew
 * when what it comes from is newer; alone, this file makes no more than that. */
import {cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync}
  from "node:fs";
import {spawnSync} from "node:child_process";
import {fileURLToPath} from "node:url";

const place = `build/web-mock-${process.argv[2]}`; // of this browser
const record = "build/web-recorded.json";

function recordAnew() {
  const when = (path) => existsSync(path) ? statSync(path).mtimeMs : 0;
  const from = ["build/bin/grade", "build/bin/timeline", "web/playground",
    "web/playground/hazard.cu", "web/playground/overlap.cu",
    "tests/web/recorded.mjs"];
  if (from.every((path) => when(record) > when(path))) {
    return;
  }
  const {status, stderr} = spawnSync(process.execPath,
    ["tests/web/recorded.mjs", record], {encoding: "utf8"});
  if (status !== 0) {
    throw new Error(`recorded.mjs: ${stderr}`);
  }
}

export function makeMocked() {
  recordAnew();
  rmSync(place, {recursive: true, force: true});
  cpSync("build/web", place, {recursive: true});
  mkdirSync(`${place}/engine`, {recursive: true});
  cpSync("tests/web/mock_engine.js", `${place}/engine/engine.js`);
  cpSync(record, `${place}/engine/recorded.json`);
  writeFileSync(`${place}/predict.html`, `<!DOCTYPE html><html lang="en">
<head><meta charset="utf-8"><title>A text</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page/play.css">
<script type="module" src="page/predict.js"></script></head>
<body><main><h1>A text</h1><div data-predict="08"></div></main></body></html>`);
  process.env.SITE = place;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  recordAnew();
}
