/* style.mjs FILE...: wordy phrases and clichés, as write-good finds them, each
 * with its file and line. Code and tables are left out. */
import {readFileSync} from "node:fs";
import writeGood from "write-good";

/* Not looked for: its taste in verbs and adverbs; words that stand twice, which
 * tests/cli/spelling.t finds; and what is a term here or plain English. */
const checks = {
  passive: false, weasel: false, adverb: false, thereIs: false, so: false,
  eprime: false, illusion: false,
};
const plain = ["it is", "it was", "all of", "allocate", "multiple", "minimum",
  "maximum", "in between", "however", "implement", "as to", "a number of",
  "evaluate"];

/* As long as it was, so that lines stay where they are. */
const blank = (text) => text.replace(/[^\n]/g, " ");
let found = 0;
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8").replace(/^```[^]*?^```/gm, blank)
    .replace(/^(    |> *    ).*$/gm, blank).replace(/^\|.*$/gm, blank)
    .replace(/`[^`]*`/g, blank);
  for (const {index, offset, reason} of writeGood(text, checks)) {
    const said = text.slice(index, index + offset).replace(/\s+/g, " ");

    if (plain.includes(said.toLowerCase()))
      continue;
    const line = text.slice(0, index).split("\n").length;
    console.log(`${file}:${line}: ${reason.replace(/\s+/g, " ")}`);
    found++;
  }
}
process.exit(found > 0 ? 1 : 0);
