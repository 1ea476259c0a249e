/* export.js: a result for the instructor, as one file
 *
 * The student's text, and the grade that this browser gave it. A browser's
 * grade is nobody's proof: the text is graded again natively, and the sum only
 * shows that the file came over whole.
 */
import {download} from "./dom.js";

const FORMAT = "cuda-streams-lab browser result 1";

/** SHA-256 of a text in UTF-8, in hexadecimal; "" where the browser has none:
 * a site that comes over plain http from another machine. */
export async function sumOf(text) {
  if (!globalThis.crypto?.subtle) {
    return "";
  }
  const sum = await crypto.subtle.digest("SHA-256",
    new TextEncoder().encode(text));
  return [...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, "0"))
    .join("");
}

/** The file's text. flags are there only where the lab has such a file. grade
 * is a text, what `grade --json` wrote, so that the sum
 * over all fields but itself, joined by newlines, needs no form of numbers. */
export async function resultText(lab, name, {json, text, flags}, when) {
  const {version} = JSON.parse(json);
  const parts = {format: FORMAT, version, lab, name, when, text, grade: json,
    ...(flags && {flags})};
  return JSON.stringify({...parts,
    sum: await sumOf(Object.values(parts).join("\n"))}, null, 1) + "\n";
}

export async function exportResult(lab, name, result) {
  download(`${lab}.result.json`, await resultText(lab, name, result,
    new Date().toISOString()), "application/json");
}
