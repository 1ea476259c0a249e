/* predict.js: predict, then press Run: a small program within a text
 *
 *     <div data-predict="08"></div>
 *
 * becomes the program slides/predict/08.cu, a place for one's own number, and a
 * Run that shows what really happens. Nothing is run before there is a number:
 * who has not predicted learns nothing from the answer.
 */
import {make} from "./dom.js";
import {resultView} from "./result_view.js";
import {Runner} from "./runner.js";

const base = new URL("./", import.meta.url);

/** When the last operation of a trace ends, after the first one begins. */
export function spanOf(trace) {
  let first = Infinity, last = 0;
  for (const [, start, end] of
    trace.matchAll(/^op .*\bstart_ns=(\d+) .*\bend_ns=(\d+)/gm)) {
    first = Math.min(first, +start);
    last = Math.max(last, +end);
  }
  return last > 0 ? last - first : 0;
}

/* On the device `unit` each copy and each kernel takes 1000 ns: one unit. */
const UNIT_NS = 1000;

class Prediction {
  constructor(program, box) {
    this.program = program;
    this.inUnits = program.device === "unit" || Boolean(program.profile);
    this.result = make("div");
    this.words = make("p", {role: "status"});
    this.number = make("input", {type: "number", min: "0", step: "any",
      required: true, inputmode: "decimal"});
    const run = make("button", {class: "first"}, "Run");
    this.runner = new Runner(base, [run]);
    const form = make("form", {onsubmit: (event) => {
      event.preventDefault();
      this.run();
    }}, make("label", {}, "All is done after ", this.number,
      this.inUnits ? " units " : " microseconds "), run);
    box.classList.add("predict-box");
    box.append(make("p", {}, make("b", {}, "Predict, then press Run. "),
      program.words),
    make("details", {}, make("summary", {}, "The program"),
      make("pre", {class: "output", tabindex: "0"}, program.text)),
    form, this.runner.line, this.words, this.result);
  }

  async run() {
    const {text, device, gpus, check, options, profile} = this.program;
    const answer = await this.runner.ask("program", {text, device, gpus, check,
      options, profile, args: [], name: "predict.cu"}, "Running");
    if (!answer) {
      return;
    }
    const is = spanOf(answer.trace || "") / UNIT_NS, said = +this.number.value;
    const unit = this.inUnits ? "units" : "microseconds";
    this.words.textContent = `You said ${said}, it is ` +
      `${+is.toPrecision(4)} ${unit}. ` +
      (Math.abs(is - said) < 0.005 * is ? "Right." :
        "Where does it differ from what you had in mind?");
    this.result.replaceChildren(resultView(base, answer));
  }
}

/** Fill one element. */
export async function mountPrediction(box) {
  const id = box.dataset.predict;
  try {
    if (!/^\w+$/.test(id)) {
      throw new Error("no such program");
    }
    const answer = await fetch(new URL(`../data/predict/${id}.json`, base));
    if (!answer.ok) {
      throw new Error(String(answer.status));
    }
    new Prediction(await answer.json(), box);
  } catch (error) {
    box.append(make("p", {},
      `The program cannot be shown (${error.message}).`));
  }
}

for (const box of document.querySelectorAll("[data-predict]")) {
  mountPrediction(box);
}
