/* lab.js: a lab in a tab: README on one side, editor and results on the other
 *
 * The page has <body data-lab="NN_name">, the README in #readme and an empty
 * #workbench; all else is made here. Nothing of the compiler is loaded before
 * the first change, Run or Grade.
 */
import {attemptWords, countAttempt, stateWords} from "./attempts.js";
import {download, make, outputOf} from "./dom.js";
import {makeEditor} from "./editor.js";
import {exportResult} from "./export.js";
import {StudentFile} from "./file.js";
import {gradeView} from "./grade_view.js";
import {hintView} from "./hint_view.js";
import {layOutPage} from "./layout.js";
import {compilerMarks, hazardMarks} from "./marks.js";
import {quizView} from "./quiz_view.js";
import {Runner} from "./runner.js";
import {openStore} from "./store.js";
import {sweepView} from "./sweep_view.js";
import {Tabs} from "./tabs.js";
import {timelineView} from "./timeline_view.js";
import {whyNot} from "../engine/client.js";

/* Bundled or not, this file stands in page/. */
const base = new URL("./", import.meta.url);
const dataUrl = (path) => new URL("../data/" + path, base);

async function fetched(path, kind) {
  const answer = await fetch(dataUrl(path));
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status}`);
  }
  return answer[kind]();
}

class Workbench {
  result = null; // the last grade of this page, for the export

  constructor(lab, store, box) {
    this.lab = lab;
    this.store = store;
    this.box = box;
  }

  /* ---- what is asked of the engine ---- */

  async ask(what, words) {
    this.warm = true;
    this.editor.mark([]);
    this.tabs.show(what);
    return this.runner.ask(what, {lab: this.lab.lab, text: this.file.text,
      flags: this.file.flags}, words);
  }

  async run() {
    const answer = await this.ask("run", "Running");
    if (!answer) {
      return;
    }
    this.mark(answer.stdout, answer.traces);
    const title = "Timeline of lab " + this.lab.lab.slice(0, 2);
    this.tabs.panel("run").replaceChildren(
      make("details", {open: answer.status !== 0},
        make("summary", {}, answer.status === 0 ? "Right. What it printed" :
          "Not right yet. What it printed"), outputOf(answer.stdout)),
      answer.data ? timelineView(base, answer.data, title) : make("p", {},
        "There is no timeline of what could not run."));
    this.showResults();
  }

  async gradeIt() {
    const {text, flags} = this.file; // they may change meanwhile
    const answer = await this.ask("grade", "Grading");
    if (!answer) {
      return;
    }
    const grade = answer.json ? JSON.parse(answer.json).labs[0] : null;
    this.mark(answer.stdout, answer.traces);
    let words = "";
    if (grade) {
      this.result = {json: answer.json, text, flags};
      words = attemptWords(await countAttempt(this.store, grade));
      await this.showState();
    }
    this.tabs.panel("grade").replaceChildren(
      gradeView(grade, answer.stdout, words,
        {name: "lab.cu", show: (line) => this.editor.show(line)}),
      grade ? this.exportBox() : "");
    if (this.box.clientWidth < 700) { // else the diagnosis is in view
      this.showResults();
    }
  }

  /* As tools/sweep: where the student's file is not right at that size, the
   * reference solution is measured, and it is said so; where the site has none,
   * what the sweep says of the file. */
  async sweep() {
    let answer = await this.ask("sweep", "Measuring with 1 to 64 streams");
    let who = "your lab.cu", words = "";
    if (answer?.status === 1) {
      words = "Your lab.cu is not right at that size yet (see what a grade " +
        "says).";
    }
    if (answer?.status === 1 && this.lab.solved) {
      words += " This is the reference solution:";
      who = "the reference solution";
      const text = await this.fetchSolution();
      answer = text && await this.runner.ask("sweep", {lab: this.lab.lab,
        text, flags: await this.fetchSolution("flags")},
      "Measuring the reference solution");
    }
    if (answer) {
      this.tabs.panel("sweep").replaceChildren(make("p", {}, words),
        answer.status === 0 ? sweepView(answer.stdout, who) :
          outputOf(answer.stdout));
      this.showResults();
    }
  }

  /* Its lab.cu, or what its file flags says, where the lab has one. */
  async fetchSolution(kind = "cu") {
    if (kind === "flags" && this.lab.flags === undefined) {
      return undefined;
    }
    try {
      return await fetched(`solutions/${this.lab.lab}.${kind}`, "text");
    } catch {
      this.runner.say("The solution could not be fetched" +
        (navigator.onLine ? "." : ": you are offline."), true);
      return null;
    }
  }

  showResults() {
    this.tabs.list.scrollIntoView({block: "start"});
  }

  mark(words, traces) {
    const marks = [...compilerMarks(words, "lab.cu"),
      ...hazardMarks(traces?.student || "", "lab.cu")];
    this.editor.mark(marks);
    if (marks.length) {
      this.runner.say(`${marks.length} mark${marks.length > 1 ? "s" : ""} ` +
        "in your file; F8 goes to the next.");
    }
  }

  exportBox() {
    const name = make("input", {type: "text", autocomplete: "name",
      maxlength: "100"});
    this.store.get("name").then((kept) => {
      name.value = kept || "";
    });
    return make("details", {}, make("summary", {}, "Hand this in"),
      make("p", {}, "A file for your instructor, with your lab.cu and this " +
        "grade. A grade from a browser is not trusted: it is graded again " +
        "natively. The check sum shows accidents, it proves nothing else."),
      make("label", {}, "Your name ", name), " ",
      make("button", {type: "button", onclick: async () => {
        await this.store.put("name", name.value);
        await exportResult(this.lab.lab, name.value, this.result);
      }}, "Export the result"));
  }

  /* Who writes will want to run it. The skeleton runs in any case. */
  warmUp() {
    if (!this.warm) {
      this.warm = true;
      this.runner.warm("run", {lab: this.lab.lab, text: this.lab.skeleton,
        flags: this.lab.flags});
    }
  }

  /* ---- panels that need no engine ---- */

  async fill(id) {
    const panel = this.tabs?.panel(id);
    if (id === "hints") {
      panel.replaceChildren(await hintView(this.lab, this.store,
        () => this.file.text));
    } else if (id === "quiz" && !panel.firstChild) {
      panel.replaceChildren(quizView(this.lab, this.store));
    } else if (id === "solution") {
      panel.replaceChildren(await this.solution());
    } else if (id === "older") {
      panel.replaceChildren(await this.file.older());
    } else if (id === "flags" && !panel.firstChild) {
      panel.replaceChildren(this.flagsBox());
    } else if (id === "header" && !panel.firstChild) {
      panel.replaceChildren(outputOf(this.lab.header));
    }
  }

  /* The student's second file, where the lab has one. */
  flagsBox() {
    const area = make("textarea", {class: "flags", rows: "6", spellcheck:
      "false", autocapitalize: "off", "aria-label": "Your file flags",
    oninput: () => this.file.flagsChanged(area.value)});
    area.value = this.file.flags;
    this.file.showFlags = (text) => {
      area.value = text;
    };
    return make("div", {}, make("p", {}, "Options of the compiler for your ",
      "lab.cu, one on a line. Run and Grade use them."), area);
  }

  async solution() {
    const now = await this.store.get("progress/" + this.lab.lab);
    if (!now?.passed) {
      return make("p", {}, "The solution is shown here once your file has " +
        "passed its grade.");
    }
    const text = await this.fetchSolution();
    const flags = await this.fetchSolution("flags");
    return text ? make("div", {}, outputOf(text), flags ?
      make("div", {}, make("p", {}, "Its flags:"), outputOf(flags)) : "") :
      make("p", {}, "Try again later.");
  }

  async showState() {
    const now = await this.store.get("progress/" + this.lab.lab);
    const quiz = await this.store.get("quiz/" + this.lab.lab.slice(0, 2));
    this.state.textContent = stateWords(now, quiz,
      this.file.text !== this.lab.skeleton);
    this.state.classList.toggle("passed", Boolean(now?.passed));
  }

  /* ---- the page ---- */

  note(words, bad = false, actions = {}) {
    const note = make("div", {class: bad ? "note bad" : "note",
      role: bad ? "alert" : "status"}, make("span", {}, words));
    const close = () => note.remove();
    for (const [name, act] of Object.entries({...actions, Close: close})) {
      note.append(make("button", {type: "button", onclick: () => {
        close();
        act();
      }}, name));
    }
    this.notes.querySelectorAll(bad ? ".note.bad" : ".note:not(.bad)")
      .forEach((old) => old.remove()); // what is wrong stays beside the rest
    this.notes.append(note);
  }

  fileMenu() {
    const accept = this.lab.flags === undefined ? ".cu,.cpp,.txt" : "";
    const picker = make("input", {type: "file", accept, hidden: true,
      onchange: () => {
        if (picker.files[0]) {
          this.file.import(picker.files[0]);
        }
        picker.value = "";
      }});
    const menu = make("details", {class: "menu", onkeydown: (event) => {
      if (event.key === "Escape") {
        menu.open = false;
        menu.firstChild.focus();
      }
    }});
    const item = (words, act) => make("button", {type: "button",
      onclick: () => {
        menu.open = false;
        act();
      }}, words);
    menu.append(make("summary", {}, "File"), make("div", {class: "items"},
      item("Export lab.cu", () => this.file.export()),
      ...(this.lab.flags === undefined ? [] :
        [item("Export flags", () => download("flags", this.file.flags))]),
      item("Import a file", () => picker.click()),
      item("Older texts", () => this.tabs.show("older")),
      item("lab.h", () => this.tabs.show("header")),
      item("Reset to the skeleton", () => this.file.reset())), picker);
    document.addEventListener("click", ({target}) => {
      menu.open = menu.open && menu.contains(target);
    });
    return menu;
  }

  toolbar() {
    const button = (words, title, act) => make("button", {type: "button",
      title, class: words === "Run" ? "first" : "", onclick: act}, words);
    const asks = [
      button("Run", "Build, run, draw what ran when (Ctrl+Enter)",
        () => this.run()),
      button("Grade", "All checks, with points (Ctrl+Shift+Enter)",
        () => this.gradeIt()),
      button("Sweep", "Measure with 1 to 64 streams", () => this.sweep()),
    ];
    this.runner = new Runner(base, asks);
    this.state = make("span", {class: "lab-state", id: "lab-state"});
    return make("div", {class: "toolbar"}, ...asks, this.fileMenu(),
      this.state);
  }

  dropFiles(host) {
    host.addEventListener("dragover", (event) => {
      if (event.dataTransfer.types.includes("Files")) {
        event.preventDefault();
      }
    }, true);
    host.addEventListener("drop", (event) => {
      if (event.dataTransfer.files.length) {
        event.preventDefault();
        event.stopPropagation();
        this.file.import(event.dataTransfer.files[0]);
      }
    }, true);
  }

  async open() {
    const host = make("div", {class: "editor"});
    this.notes = make("div", {class: "notes"});
    this.file = new StudentFile(this.lab, this.store,
      (...words) => this.note(...words));
    const text = await this.file.open();
    const toolbar = this.toolbar();
    this.tabs = new Tabs("results", [["run", "Timeline"], ["grade", "Grade"],
      ...(this.lab.flags === undefined ? [] : [["flags", "flags"]]),
      ["hints", "Hints"], ["quiz", "Quiz"], ["sweep", "Sweep"],
      ...(this.lab.solved ? [["solution", "Solution"]] : []),
      ["header", "lab.h"], ["older", "Older texts"]],
    (id) => this.fill(id));
    this.box.append(toolbar, this.notes, host, this.runner.line,
      this.tabs.list, this.tabs.panels);
    const act = (f) => () => {
      f();
      return true;
    };
    this.editor = makeEditor(host, {text,
      label: "Your lab.cu. Escape, then Tab, leaves the editor.",
      onChange: (now) => {
        this.file.changed(now);
        this.warmUp();
      },
      keys: [{key: "Mod-Enter", run: act(() => this.run()),
        shift: act(() => this.gradeIt())}]});
    this.dropFiles(host);
    this.file.start(this.editor);
    for (const [id, words] of [["run", "Run shows here what ran when."],
      ["grade", "Grade shows here what is right, with points."],
      ["sweep", "Sweep measures your file with 1, 2, 4 ... 64 streams."]]) {
      this.tabs.panel(id).append(make("p", {class: "muted"}, words));
    }
    const why = whyNot();
    if (why) {
      this.note(why + " Reading, writing, hints and the quiz go on.", true);
    }
    await this.showState();
    performance.mark("lab-ready"); // for who measures how long it takes
  }
}

const box = document.getElementById("workbench");
try {
  const lab = await fetched(`labs/${document.body.dataset.lab}.json`, "json");
  layOutPage(box);
  await new Workbench(lab, await openStore(), box).open();
} catch (error) {
  box.append(make("p", {class: "bad", role: "alert"},
    `The lab's files could not be read (${error.message}). ` +
    (navigator.onLine ? "Load the page again." : "You are offline.")));
}
