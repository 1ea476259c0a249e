/* messages.js: what a compiler said, one message after another: errors first,
 * each with the lines that belong to it, as they stand */
import {make, outputOf} from "./dom.js";

const HEAD = /^(\S+?):(\d+)(?::(\d+))?: (fatal error|error|warning): /;
const BEFORE = /^In file included from |^\S+: In |: At global scope:$/;
const SOURCE = /^\s|^\d+ \|/;           // a line of the file, or a caret below it

/** @return [{kind, place, file, number, lines}], kind "error", "warning" or
 * "other", in which what the compiler says without a place stays where it is */
export function messagesOf(text) {
  const found = [];
  let now = null;
  for (const line of text.replace(/\n+$/, "").split("\n")) {
    const head = line.match(HEAD), before = BEFORE.test(line);
    if (!now || (head || before) && !now.begun) {
      found.push(now = {kind: "other", lines: [], begun: before});
    }
    if (head) {
      Object.assign(now, {kind: head[4].split(" ").at(-1), begun: false,
        place: head[0].slice(0, head[0].indexOf(": ")), file: head[1],
        number: +head[2]});
    }
    now.lines.push(line);
  }
  return found;
}

const RANK = {error: 0, warning: 1, other: 2};

/* The place is a button where the line can be shown. */
function headOf(line, {place, file, number}, {name, show}) {
  if (!show || !place || !line.startsWith(place + ": ") ||
      !file.endsWith(name)) {
    return make("span", {class: "words"}, line);
  }
  return make("span", {class: "words"}, make("button", {type: "button",
    class: "place", title: "Show this line", onclick: () => show(number)},
  place), line.slice(place.length));
}

function messageView(message, at) {
  const box = make("div", {class: `message ${message.kind}`}), source = [];
  const flush = () => source.length && box.append(make("pre",
    {class: "source", tabindex: "0"}, source.splice(0).join("\n")));
  for (const line of message.lines) {
    if (SOURCE.test(line)) {
      source.push(line);
    } else {
      flush();
      box.append(headOf(line, message, at));
    }
  }
  flush();
  return box;
}

/** What a compiler said; any other text as it stands.
 * @param at {name, show(line)}: the file in the editor, as "lab.cu" */
export function messagesView(text, at = {}) {
  const messages = messagesOf(text);
  if (!messages.some((m) => m.number)) {
    return outputOf(text);
  }
  // What is said of the text before and after it is preprocessed is said twice.
  const once = new Map(messages.map((m) => [m.lines.join("\n"), m]));
  return make("div", {class: "messages"}, ...[...once.values()]
    .sort((a, b) => RANK[a.kind] - RANK[b.kind])
    .map((m) => messageView(m, at)));
}
