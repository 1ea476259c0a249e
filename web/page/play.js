/* play.js: the playground: any small program, on a device and a number of GPUs
 *
 * Prepared programs have sliders. The address holds what is in the editor, so
 * that it can be sent; a link's program is shown and never run by itself.
 */
import {make} from "./dom.js";
import {makeEditor} from "./editor.js";
import {fromHash, MOST_LINK, toHash} from "./link.js";
import {compilerMarks, hazardMarks} from "./marks.js";
import {resultView} from "./result_view.js";
import {Runner} from "./runner.js";
import {setSlider, sliderControls} from "./sliders.js";
import {whyNot} from "../engine/client.js";

const base = new URL("./", import.meta.url);
const NAME = "program.cu", LATER_MS = 400, GPUS = [1, 2, 3, 4, 8];

class Playground {
  #timer = 0;

  constructor({programs, devices}, box) {
    this.programs = programs;
    this.devices = devices;
    this.box = box;
  }

  /* ---- the controls ---- */

  select(words, options, onChange) {
    const select = make("select", {onchange: () => onChange(select.value)},
      ...options.map(([value, name]) => make("option", {value}, name)));
    return {select, label: make("label", {class: "choice"},
      make("span", {}, words), select)};
  }

  controls() {
    this.program = this.select("Program", [["", "your own"],
      ...this.programs.map((p) => [p.id, p.title])], (id) => this.take(id));
    this.device = this.select("Device", this.devices.map((d) =>
      [d.id, d.name]), () => this.remember());
    this.gpus = this.select("GPUs", GPUS.map((n) => [n, n]),
      () => this.remember());
    this.sliders = make("div", {class: "sliders", role: "group",
      "aria-label": "the program's numbers"});
    this.runButton = make("button", {type: "button", class: "first",
      title: "Build and run it (Ctrl+Enter)", onclick: () => this.run()},
    "Run");
    this.copyButton = make("button", {type: "button",
      onclick: () => this.copyLink()}, "Copy link");
    this.runner = new Runner(base, [this.runButton]);
    this.words = make("p", {class: "words"});
    return make("div", {class: "controls"},
      make("div", {class: "toolbar"}, this.program.label, this.device.label,
        this.gpus.label, this.runButton, this.copyButton),
      this.words, this.sliders);
  }

  drawSliders() {
    this.sliders.replaceChildren(...sliderControls(this.editor.text,
      (name, value) => {
        this.drawn = setSlider(this.editor.text, name, value);
        this.editor.replace(this.drawn);
        this.remember();
        this.runAgain();
      }));
  }

  /* ---- the program ---- */

  show({text, device, gpus}, words = "") {
    this.editor.mark([]);
    this.drawn = text;
    this.editor.replace(text);
    this.device.select.value = device || "k20";
    this.gpus.select.value = GPUS.includes(gpus) ? gpus : 1;
    this.words.textContent = words;
    this.drawSliders();
    this.result.replaceChildren();
  }

  take(id) {
    const program = this.programs.find((p) => p.id === id);
    if (program) {
      this.show(program, program.words);
      this.remember();
    }
  }

  get settings() {
    return {text: this.editor.text, device: this.device.select.value,
      gpus: +this.gpus.select.value};
  }

  /* The address follows what is edited; Back goes where it went before. */
  remember() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const hash = await toHash(this.settings).catch(() => null);
      this.copyButton.disabled = hash === null;
      history.replaceState(null, "", hash ?? location.pathname);
    }, LATER_MS);
  }

  /* What was not drawn here was written by the reader. */
  changed(text) {
    if (text !== this.drawn) {
      this.program.select.value = "";
      this.drawn = text;
      this.drawSliders();
      this.remember();
    }
  }

  async copyLink() {
    const hash = await toHash(this.settings).catch(() => null);
    if (!hash) {
      this.runner.say(`This program is too long for a link (${MOST_LINK} ` +
        "letters when packed).", true);
      return;
    }
    history.replaceState(null, "", hash);
    try {
      await navigator.clipboard.writeText(location.href);
      this.runner.say("The link is copied: it holds the program.");
    } catch {
      this.runner.say("Copy the address of this page: it holds the program.");
    }
  }

  async run() {
    this.editor.mark([]);
    const answer = await this.runner.ask("program", {...this.settings,
      name: NAME, check: true, args: []}, "Running");
    if (!answer) {
      return;
    }
    this.editor.mark([...compilerMarks(answer.stderr || "", NAME),
      ...hazardMarks(answer.trace || "", NAME)]);
    this.hint.remove();
    this.result.replaceChildren(resultView(base, answer,
      {name: NAME, show: (line) => this.editor.show(line)}));
  }

  /* Who ran it once, and moves a slider, wants to see what becomes of it: as
   * soon as the hand rests and the run before is done. */
  runAgain() {
    clearTimeout(this.again);
    if (this.result.firstChild) {
      this.again = setTimeout(() => this.runner.busy ? this.runAgain() :
        this.run(), LATER_MS);
    }
  }

  /* ---- the page ---- */

  async fromAddress() {
    try {
      const linked = await fromHash(location.hash,
        this.devices.map((d) => d.id));
      if (linked) {
        this.program.select.value = "";
        this.show(linked, "This program came with the link. Read it before " +
          "you press Run.");
        return true;
      }
    } catch (error) {
      this.runner.say(error.message, true);
    }
    return false;
  }

  async open() {
    const host = make("div", {class: "editor"});
    this.result = make("div", {class: "results", role: "region",
      "aria-label": "result"});
    this.hint = make("p", {class: "muted"},
      "Run shows here what it prints, and what ran when.");
    this.box.append(this.controls(), make("div", {class: "play-grid"}, host,
      make("div", {}, this.runner.line, this.hint, this.result)));
    this.editor = makeEditor(host, {text: "",
      label: "A CUDA program. Escape, then Tab, leaves the editor.",
      onChange: (text) => this.changed(text),
      keys: [{key: "Mod-Enter", run: () => {
        this.run();
        return true;
      }}]});
    const asked = new URLSearchParams(location.search).get("program");
    if (!await this.fromAddress()) {
      const known = this.programs.find((p) => p.id === asked) ||
        this.programs.find((p) => p.id === "overlap");
      this.program.select.value = known.id;
      this.show(known, known.words);
    }
    addEventListener("hashchange", () => this.fromAddress());
    const why = whyNot();
    if (why) {
      this.runner.say(why, true);
    }
  }
}

const box = document.getElementById("playground");
try {
  const answer = await fetch(new URL("../data/play.json", base));
  await new Playground(await answer.json(), box).open();
} catch (error) {
  box.append(make("p", {class: "bad", role: "alert"},
    `The playground could not be loaded (${error.message}).`));
}
