/* file.js: the student's file of one lab: kept on every change, exported,
 * imported, set back, and never lost
 *
 * What would take the place of a changed text (a reset, an import, another
 * tab's text, a newer skeleton) keeps the old one first.
 */
import {confirmFirst, download, make} from "./dom.js";

const MOST_BYTES = 1 << 20; // as the grader reads at most

export class StudentFile {
  #writing = null;
  #theirs = null; // another tab's text, which is what the store has
  #channel = typeof BroadcastChannel === "function" ?
    new BroadcastChannel("cuda-streams-lab files") : null;

  /** @param lab data of the lab; @param store; @param say(words, bad, actions)
   * shows a note, actions {words: function} */
  constructor(lab, store, say) {
    this.lab = lab;
    this.store = store;
    this.say = say;
  }

  /** The text to begin with. A skeleton that nobody touched is not kept, so
   * that the course's newest one is always what a beginner sees. */
  async open() {
    const kept = await this.store.file(this.lab.lab);
    this.base = kept?.base ?? this.lab.base;
    this.text = this.saved = kept?.text ?? this.lab.skeleton;
    this.flags = this.savedFlags = kept?.flags ?? this.lab.flags;
    return this.text;
  }

  /** What a page says once: no storage, a newer skeleton. */
  start(editor) {
    this.editor = editor;
    if (this.store.trouble) {
      this.say(this.store.trouble, true);
    }
    if (this.base !== this.lab.base) {
      this.say("The course has a newer skeleton of this lab. Your file " +
        "stays as it is unless you say otherwise.", false, {
        "Start from the new one": () => this.reset(),
        "Keep mine": () => this.#put({base: this.lab.base}),
      });
    }
    addEventListener("pagehide", () => this.#saveNow());
    document.addEventListener("visibilitychange", () => this.#saveNow());
    addEventListener("lab-before-reload", ({detail}) =>
      detail.push(this.#save()));
    this.#channel?.addEventListener("message", ({data}) => {
      if (data.lab === this.lab.lab) {
        this.#fromOtherTab(data);
      }
    });
    addEventListener("pageshow", async ({persisted}) => {
      const file = persisted && await this.store.file(this.lab.lab);
      if (file) { // this page slept, and heard nothing
        this.#fromOtherTab(file);
      }
    });
  }

  /* This tab goes on with its own text, which the next change puts in the
   * other one's place: so the reader is asked, and that one is kept first.
   * The few words of flags are the same in all tabs. */
  #fromOtherTab({text, flags}) {
    if (flags !== this.flags) {
      this.flags = this.savedFlags = flags;
      this.showFlags?.(flags);
    }
    this.#theirs = text === this.text ? null : text;
    if (this.#theirs === null) {
      return;
    }
    this.say("This file was changed in another tab. Go on here, and that " +
      "text is kept under \u201cOlder texts\u201d.", true, {
      "Take that text": () => this.replace(text, "before another tab\u2019s " +
        "text was taken"),
      "Keep this one": () => this.#put({}),
    });
  }

  changed(text) {
    this.text = text;
    this.#save();
  }

  flagsChanged(flags) {
    this.flags = flags;
    this.#save();
  }

  /* At once, since a tab may be closed at any time; one write after another,
   * so that fast typing makes no queue of them. */
  #save() {
    this.#writing ??= (async () => {
      while (this.text !== this.saved || this.flags !== this.savedFlags) {
        await this.#put({});
      }
    })().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  /* Behind the write under way: nobody may be here to hear of its end. */
  #saveNow() {
    if (this.text !== this.saved || this.flags !== this.savedFlags) {
      this.#put({});
    }
  }

  async #put({base}) {
    this.base = base ?? this.base;
    const text = this.saved = this.text, had = this.store.trouble;
    const flags = this.savedFlags = this.flags, theirs = this.#theirs;
    this.#theirs = null;
    if (theirs !== null && theirs !== text && theirs !== this.lab.skeleton) {
      await this.#keep(theirs, "another tab\u2019s text");
    }
    await this.store.putFile({lab: this.lab.lab, text, flags, base: this.base,
      changed: new Date().toISOString()});
    this.#channel?.postMessage({lab: this.lab.lab, text, flags});
    if (this.store.trouble && this.store.trouble !== had) {
      this.say(this.store.trouble, true, {Export: () => this.export()});
    }
  }

  #keep(text, why) {
    return this.store.keep({lab: this.lab.lab, text, why,
      when: new Date().toISOString()});
  }

  /** Another text in place of this one, which is kept unless it is the
   * skeleton. @returns whether it was kept */
  async replace(text, why) {
    const keep = this.text !== this.lab.skeleton && this.text !== text;
    if (keep) {
      await this.#keep(this.text, why);
    }
    this.editor.replace(text);
    await this.#save();
    return keep;
  }

  async reset() {
    if (await confirmFirst("Put the skeleton in place of your file? Your " +
      "text is kept under \u201cOlder texts\u201d.", "Reset")) {
      this.base = this.lab.base;
      await this.replace(this.lab.skeleton, "before a reset");
      this.say("This is the skeleton again. Your text is kept under " +
        "\u201cOlder texts\u201d.");
    }
  }

  export() {
    download("lab.cu", this.text);
  }

  async import(file) {
    if (file.size > MOST_BYTES) {
      this.say(`${file.name} is larger than 1 MiB: it was not taken.`, true);
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text;
    try {
      text = new TextDecoder("utf-8", {fatal: true}).decode(bytes);
    } catch {
      text = null;
    }
    if (text === null || text.includes("\0")) {
      this.say(`${file.name} is no text: it was not taken.`, true);
      return;
    }
    text = text.replace(/\r\n?/g, "\n");
    if (file.name === "flags" && this.flags !== undefined) {
      this.flagsChanged(text);
      this.showFlags?.(text);
      this.say("flags is imported.");
      return;
    }
    const kept = await this.replace(text,
      `before the import of ${file.name}`);
    this.say(`${file.name} is imported` + (kept ? "; the text before is " +
      "kept under \u201cOlder texts\u201d." : "."));
  }

  /** The texts that were replaced, newest first, each to be taken back. */
  async older() {
    const kept = (await this.store.kept(this.lab.lab)).reverse();
    const box = make("div", {class: "older"});
    if (!kept.length) {
      box.append(make("p", {}, "None yet: what a reset or an import " +
        "replaces is kept here."));
    }
    for (const {when, why, text} of kept) {
      box.append(make("details", {}, make("summary", {},
        `${new Date(when).toLocaleString()}: ${why}, ` +
        `${text.split("\n").length} lines`),
      make("button", {type: "button", onclick: () =>
        this.replace(text, "before an older text was taken back")},
      "Take this text back"),
      make("pre", {class: "output", tabindex: "0"}, text)));
    }
    return box;
  }
}
