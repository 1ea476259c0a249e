/* runner.js: one request to the engine at a time, with its progress, its Stop
 * button and what went wrong in words */
import {Engine, Stopped, whyNot} from "../engine/client.js";
import {make} from "./dom.js";

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** The line that says what is being done. */
export class Runner {
  #buttons;
  #engine;
  #bar = make("progress", {hidden: true, "aria-label": "fetched"});
  #words = make("span", {role: "status"});
  busy = false;
  #stop = make("button", {type: "button", hidden: true, class: "stop",
    onclick: () => this.#engine.stop()}, "Stop");

  /** @param base URL of the folder page/; @param buttons to be off meanwhile */
  constructor(base, buttons) {
    this.#engine = new Engine(new URL("../engine/engine.js", base));
    this.#buttons = buttons;
    this.line = make("p", {class: "status"}, this.#stop, this.#bar,
      this.#words);
  }

  say(words, bad = false) {
    this.#words.textContent = words;
    this.line.classList.toggle("bad", bad);
  }

  #progress({progress, bytes, total}) {
    const known = bytes !== undefined && total > 0;
    this.#bar.hidden = !known;
    if (known) {
      this.#bar.max = total;
      this.#bar.value = bytes;
    }
    this.say(known ? `${progress}: ${megabytes(bytes)} of ` +
      `${megabytes(total)} MB` : progress + " ...");
  }

  #busy(busy) {
    this.busy = busy;
    this.#stop.hidden = !busy;
    this.#bar.hidden = true;
    for (const button of this.#buttons) {
      button.disabled = busy;
    }
  }

  /** Get ready for what will be asked; what is said of that is shown only to
   * who waits already. */
  warm(what, fields) {
    if (!whyNot() && !navigator.connection?.saveData) {
      this.#engine.warm(what, fields,
        (progress) => this.busy && this.#progress(progress));
    }
  }

  /** The answer, or null: then the line says why. The focus stays with who
   * pressed a button, though it was off meanwhile. */
  async ask(what, fields, words) {
    const had = document.activeElement, began = performance.now();
    this.#busy(true);
    this.say(words + " ...");
    try {
      const answer = await this.#engine.ask(what, fields,
        (progress) => this.#progress(progress));
      this.say(`Done in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
      return answer;
    } catch (error) {
      this.say(error instanceof Stopped ? "Stopped." : error.message,
        !(error instanceof Stopped));
      return null;
    } finally {
      this.#busy(false);
      if (had && document.activeElement === document.body) {
        had.focus();
      }
    }
  }
}
