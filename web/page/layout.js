/* layout.js: README and workbench side by side, or one of two tabs where the
 * window is narrow. On a phone the README comes first.
 */
import {make} from "./dom.js";

/** @param box #workbench; #readme is beside it */
export function layOutPage(box) {
  const readme = document.getElementById("readme");
  const show = (which) => {
    document.body.dataset.view = which;
    for (const button of bar.children) {
      button.setAttribute("aria-pressed", button.value === which);
    }
  };
  const bar = make("div", {class: "views", role: "group",
    "aria-label": "what is shown"},
  ...[["read", "Read"], ["work", "Work"]].map(([value, words]) =>
    make("button", {type: "button", value, onclick: () => show(value)},
      words)));
  readme.parentElement.classList.add("lab-page");
  readme.before(bar);
  readme.tabIndex = 0; // it scrolls by itself where both are seen
  box.setAttribute("aria-label", "your file and its results");
  document.addEventListener("lab-read", () => show("read"));
  show("read");
}
