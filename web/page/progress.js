/* progress.js: the list of labs says which have passed, as `make` does
 *
 * Each <li data-lab="NN_name"> has a <span class="lab-state">; an element with
 * the id "progress" gets the sum and what is next. */
import {stateWords} from "./attempts.js";
import {make} from "./dom.js";
import {openStore} from "./store.js";

const store = await openStore();
let passed = 0, all = 0, next = null;

for (const item of document.querySelectorAll("[data-lab]")) {
  const place = item.querySelector(".lab-state"), lab = item.dataset.lab;
  if (!place) {
    continue;
  }
  const now = await store.get("progress/" + lab);
  const quiz = await store.get("quiz/" + lab.slice(0, 2));
  const begun = await store.file(lab);
  all++;
  passed += now?.passed ? 1 : 0;
  next ??= now?.passed ? null : lab;
  place.textContent = stateWords(now, quiz, begun);
  place.classList.toggle("passed", Boolean(now?.passed));
}
const sum = document.getElementById("progress");
if (sum && all) {
  const to = new URL(`../labs/${next}/index.html`, import.meta.url);
  sum.append(`${passed} of ${all} passed. `, ...next ? ["Next: ",
    make("a", {href: to.href}, next.replaceAll("_", " ")), " "] : [],
  store.trouble ?? "");
}
