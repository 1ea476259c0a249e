/* hint_view.js: one hint at a time, each a little plainer than the last
 *
 * The order is that of tools/hint: the first TODO that is still in the file and
 * has a hint that was not shown; what was shown is remembered. */
import {make, ownMarkup} from "./dom.js";

/** The TODO comments that a text still has, of those that have hints. */
export function openTodos(hints, text) {
  return hints.filter((h) => text.includes(`TODO ${h.todo}:`));
}

/** @param hints of the lab; @param shown {todo: steps}; @param text the file
 * @returns {todo, step}, or null where nothing is left to say */
export function nextHint(hints, shown, text) {
  const next = openTodos(hints, text)
    .find((h) => (shown[h.todo] || 0) < h.steps.length);
  return next ? {hint: next, step: (shown[next.todo] || 0) + 1} : null;
}

function stepView(number, hint, step) {
  const {title, html} = hint.steps[step - 1];
  return make("section", {class: "hint"}, make("h3", {},
    `Lab ${number}, TODO ${hint.todo}, hint ${step} of ` +
    `${hint.steps.length}: ${title}`), ownMarkup(html));
}

/** What the tab shows: all hints that were seen, and a button for the next.
 * @param lab its data; @param store where what was shown is kept
 * @param text a function that returns the student's file */
export async function hintView(lab, store, text) {
  const number = lab.lab.slice(0, 2), key = "hints/" + number;
  const box = make("div", {class: "hints"});
  const draw = async (fresh) => {
    const shown = await store.get(key) || {};
    const seen = lab.hints.flatMap((h) => h.steps
      .slice(0, shown[h.todo] || 0).map((s, i) => stepView(number, h, i + 1)));
    const next = nextHint(lab.hints, shown, text());
    const more = async () => {
      // The file may have changed since the button was drawn.
      const now = await store.get(key) || {};
      const chosen = nextHint(lab.hints, now, text());
      if (chosen) {
        await store.put(key, {...now, [chosen.hint.todo]: chosen.step});
      }
      await draw(true);
    };
    const button = next && make("button", {type: "button", onclick: more},
      seen.length ? "Try that first. The next hint" : "The first hint");
    const words = next ? `TODO ${next.hint.todo}: ${next.hint.title}` :
      openTodos(lab.hints, text()).length ?
        "You have seen every hint for what is open." :
        "No TODO comment is left in your file. What is wrong with it, a " +
        "grade says.";
    box.replaceChildren(...seen, make("p", {}, words), button || "");
    if (fresh) {
      (button || box.querySelector("section:last-of-type"))
        ?.scrollIntoView({block: "nearest"});
      button?.focus();
    }
  };
  await draw(false);
  return box;
}
