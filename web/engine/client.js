/* client.js: the page's side of the engine
 *
 * The engine is a worker (engine.js) that compiles, runs and grades. It is
 * started at the first need, since it brings the compiler. One request goes at
 * a time; a second one waits. What ends the worker is an error of the request
 * under way, and the next one starts a new worker.
 *
 *   const engine = new Engine(new URL("../engine/engine.js", import.meta.url));
 *   const answer = await engine.ask("run", {lab, text}, onProgress);
 */
import {startEngine} from "./workers.js";

/* So long may the engine take to hear of a stop before it is ended: while a
 * compiler runs it hears nothing. */
const STOP_MS = 1000;

export class Stopped extends Error {
  constructor() {
    super("stopped");
  }
}

/** Why this browser cannot run programs, or null. */
export function whyNot() {
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
    return "This browser has no WebAssembly, so nothing can be run here.";
  }
  if (!("Suspending" in WebAssembly)) {
    return "This browser cannot run the programs: WebAssembly's promise " +
      "integration (JSPI) is missing. Current Chrome, Edge, Chromium and " +
      "Firefox have it.";
  }
  return null;
}

export class Engine {
  #worker = null;
  #url;
  #next = 1;
  #stops = 0;
  #warming = false;
  #waiting = new Map();
  #last = Promise.resolve();

  constructor(url) {
    this.#url = url;
  }

  /** Ask the engine: do, its fields, what to call with progress. Resolves with
   * the answer; rejects with Stopped, or with an Error whose message is for
   * people. */
  ask(what, fields = {}, onProgress = () => {}) {
    const stops = this.#stops;
    if (this.#warming) {
      this.#worker?.postMessage({do: "stop"}); // as soon as it hears of it
    }
    const mine = this.#last.then(() => {
      if (this.#stops !== stops) { // while it waited for its turn
        throw new Stopped();
      }
      return this.#send(what, fields, onProgress);
    });
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** Load the engine and let it do once what it will be asked to do, which
   * takes longer at first. Whoever asks meanwhile need not wait for its end.
   * Nobody hears what went wrong: it will again when it matters. */
  async warm(what, fields, onProgress) {
    const done = this.ask(what, fields, onProgress);
    this.#warming = true;
    await done.catch(() => {});
    this.#warming = false;
  }

  #send(what, fields, onProgress) {
    const why = whyNot();
    if (why) {
      return Promise.reject(new Error(why));
    }
    this.#worker ??= this.#start();
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, {resolve, reject, onProgress});
      this.#worker.postMessage({...fields, id, do: what});
    });
  }

  #start() {
    const worker = startEngine(this.#url);
    worker.onmessage = ({data}) => this.#heard(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#end(new Error(event.message ?
        `The engine broke off: ${event.message}. It starts anew next time.` :
        !navigator.onLine ? "You are offline, and the engine was not kept " +
        "here yet. Go on reading and writing; once online, press Run." :
        "The engine could not be loaded. Is the site complete?"));
    };
    worker.onmessageerror = () =>
      this.#end(new Error("The engine's answer could not be read."));
    return worker;
  }

  #heard(data) {
    const waiting = this.#waiting.get(data.id);
    if (!waiting) {
      return;
    }
    if (data.progress !== undefined) {
      waiting.onProgress(data);
      return;
    }
    this.#waiting.delete(data.id);
    if (data.stopped) {
      waiting.reject(new Stopped());
    } else if (data.error) {
      waiting.reject(new Error(data.error));
    } else {
      waiting.resolve(data);
    }
  }

  /* The worker is gone, and with it what was asked of it. */
  #end(error) {
    this.#worker?.end();
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    waiting.forEach(({reject}) => reject(error));
  }

  /** Stop what is under way, and what waits for its turn. */
  stop() {
    this.#stops++;
    if (!this.#worker || !this.#waiting.size) {
      return;
    }
    const worker = this.#worker, ids = [...this.#waiting.keys()];
    worker.postMessage({id: this.#next++, do: "stop"});
    setTimeout(() => {
      if (this.#worker === worker &&
          ids.some((id) => this.#waiting.has(id))) {
        this.#end(new Stopped());
      }
    }, STOP_MS);
  }
}
