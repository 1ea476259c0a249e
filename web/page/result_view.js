/* result_view.js: what a small program did: its words, its hazards, its
 * timeline */
import {make, outputOf} from "./dom.js";
import {messagesView} from "./messages.js";
import {timelineView} from "./timeline_view.js";

/* 86 is how the virtual GPU ends a program in which it found something. */
const FOUND = 86;

function statusWords(status) {
  return status === 0 ? "" : status === FOUND ?
    "The virtual GPU found a mistake: what it says is below." :
    `The program ended with status ${status}.`;
}

/** @param base URL of page/; @param answer of the engine's `program`
 * @param at {name, show(line)}: the file in the editor, where there is one */
export function resultView(base, {status, stdout, stderr, data}, at) {
  const words = statusWords(status);
  return make("div", {class: "result"},
    words ? make("p", {class: "bad"}, words) : "",
    stdout ? outputOf(stdout) :
      make("p", {class: "muted"}, "The program printed nothing."),
    stderr ? make("div", {}, make("h3", {}, "What the checker and the " +
      "compiler say"), messagesView(stderr, at)) : "",
    data ? timelineView(base, data, "Timeline of the program") : "");
}
