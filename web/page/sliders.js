/* sliders.js: the constants of a program that a slider changes
 *
 *     #define STREAMS 4 // slider 1 2 4 8 16: streams
 *
 * The text is the one place that has the value: a slider writes it there, so
 * that what is seen is what is compiled, and a link needs nothing else.
 */
import {make} from "./dom.js";

const LINE = new RegExp("^(#define (\\w+) +)(-?\\d+)( *// slider " +
  "(-?\\d+(?: -?\\d+)*): *(.*))$");
const MOST = 12;

/** [{name, value, values, words}] of a program. */
export function readSliders(text) {
  return text.split("\n").map((line) => line.match(LINE)).filter(Boolean)
    .slice(0, MOST).map(([, , name, value, , values, words]) => ({name,
      value: +value, values: values.split(" ").map(Number), words}));
}

/** The text with another value of one constant. The comment stays where it is
 * as long as there is room. */
export function setSlider(text, name, value) {
  return text.split("\n").map((line) => {
    const [, define, found, old, rest] = line.match(LINE) || [];
    if (found !== name) {
      return line;
    }
    const room = old.length - String(value).length;
    return define + value + (room >= 0 ? " ".repeat(room) + rest :
      rest.replace(/^ +/, (blanks) => " ".repeat(Math.max(1,
        blanks.length + room))));
  }).join("\n");
}

/* Off and on are a box to tick; more are a range over the values' places. */
function control(slider, onChange) {
  const {name, value, values, words} = slider;
  if (values.length === 2 && values[0] === 0 && values[1] === 1) {
    const box = make("input", {type: "checkbox", checked: value === 1,
      onchange: () => onChange(name, box.checked ? 1 : 0)});
    return make("label", {class: "slider"}, box, words);
  }
  const at = values.indexOf(value);
  const shown = make("output", {}, String(value));
  const range = make("input", {type: "range", min: 0, max: values.length - 1,
    value: at < 0 ? 0 : at, "aria-label": words, "aria-valuetext": value,
    oninput: () => {
      const now = values[range.value];
      shown.textContent = now;
      range.setAttribute("aria-valuetext", now);
      onChange(name, now);
    }});
  return make("label", {class: "slider"}, make("span", {}, words + " ", shown),
    range);
}

/** Controls for a text. @param onChange(name, value) */
export function sliderControls(text, onChange) {
  return readSliders(text).map((slider) => control(slider, onChange));
}
