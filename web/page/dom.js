/* dom.js: elements from words. Text is always text, never markup: what a
 * student, a link or a compiler says goes through textContent. */

/** An element: attributes by name, "on..." as listeners, children or text. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      element.addEventListener(key.slice(2), value);
    } else if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Markup of our own build (README, hints), never of anybody else. */
export function ownMarkup(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const box = make("div", {class: "prose"});
  box.append(...parsed.body.childNodes);
  return box;
}

/** What is too long to be shown is cut, and says so. */
export function outputOf(text, most = 100000) {
  const cut = text.length > most;
  return make("pre", {class: "output", tabindex: "0"},
    cut ? text.slice(0, most) +
      `\n... ${text.length - most} more characters are not shown.` : text);
}

/** Give a text to the reader as a file. */
export function download(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = make("a", {href: url, download: name, hidden: true});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Ask before something is done; true for yes. A dialog, so that the keyboard
 * stays in it and Escape means no. */
export function confirmFirst(question, yes) {
  return new Promise((resolve) => {
    const dialog = make("dialog", {"aria-label": question},
      make("p", {}, question),
      make("form", {method: "dialog", class: "row"},
        make("button", {value: "yes"}, yes),
        make("button", {value: "no", autofocus: true}, "Cancel")));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
