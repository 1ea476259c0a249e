/* marp.mjs: runs Marp over a folder of expanded decks, once for the pages and
 * once for the PDF files, so that one browser serves all of them. */
import {spawn} from "node:child_process";

const MARP = "slides/node_modules/@marp-team/marp-cli/marp-cli.js";

function marp(args) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [MARP, "--config",
      "slides/marp.config.mjs", "--no-stdin", "--parallel", "2", ...args],
    {stdio: ["ignore", "pipe", "pipe"]});
    let said = "";
    child.stdout.on("data", (data) => said += data);
    child.stderr.on("data", (data) => said += data);
    child.on("error", fail);
    child.on("close", (status) => status === 0 ? done() :
      fail(new Error(`Marp ended with status ${status}:\n${said}`)));
  });
}

/* Every *.md of the folder `from` as .html and .pdf in the folder `to`. */
export async function render(from, to) {
  await marp(["-I", from, "-o", to]);
  await marp(["--pdf", "--pdf-outlines", "--pdf-outlines.pages=false", "-I",
    from, "-o", to]);
}
