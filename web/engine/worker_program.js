/*
 * worker_program.js: a student's program in a worker of its own (program.js),
 * as the grader and the playground deal with it: lines go to it and come back,
 * and what it printed is kept. Whatever it does, terminate() ends it.
 *
 * To the worker: {module, args, env, files, keepBytes, floodBytes, memoryPages}
 * first, then {ask, input, room}, {ping}. From it: {wrote, data}, {reply,
 * output}, {wait, threads}, {end: {kind, code}, files}, {pong, asleep}.
 */

import {Patience} from "./patience.js";

/** Ends, with the numbers of grader/cage/child.h's enum child_end. */
export const END = {running: 0, exit: 1, signal: 2, timeout: 3, flood: 4,
  memory: 5, tampered: 7, threads: 8, interrupted: 9};

/** What is taken of it: grader/cage/child.h's enum child_fd. */
export const TEXT = {reply: 0, report: 1, out: 2, err: 3};

const PING_MS = 1000;
const OF_DESCRIPTOR = {1: TEXT.out, 2: TEXT.err, 7: TEXT.report};
const SIGKILL = 9;

/** Files of a program that has a folder to write to. */
export const folderOf = (path) => ({[`${path}/.here`]: new Uint8Array(0)});

export class WorkerProgram {
  end = null; // {kind, code}
  texts = [[], [], [], []];
  #worker;
  #replies = [];
  #output = null;
  #waits = null; // {wait, threads}: it waits for a command
  #first = null; // where it did at first
  #pong = null;
  #news = () => {};
  #onFiles;

  /**
   * @param worker   a new PageWorker of program.js
   * @param start    its first message, but for env: ["NAME=value", ...]
   * @param onFiles  ({path: bytes}) what it wrote, at its end
   * @param stopped  a promise that resolves when the user wants to stop
   */
  constructor(worker, start, {onFiles, stopped}) {
    this.#worker = worker;
    this.#onFiles = onFiles;
    worker.onmessage = ({data}) => this.#heard(data);
    worker.onerror = () => this.#ended({kind: "signal", code: SIGKILL});
    stopped.then(() => this.#ended({kind: "interrupted", code: 0}));
    worker.postMessage({...start, env: Object.fromEntries(start.env
      .map((word) => word.split(/=(.*)/s)))});
  }

  #ended(end) {
    this.end ??= end;
    this.#news();
  }

  #heard(data) {
    if (data.wrote !== undefined) {
      this.texts[OF_DESCRIPTOR[data.wrote]].push(data.data);
      return; // nobody waits for that
    }
    if (data.reply !== undefined) {
      this.#replies.push(data.reply);
      this.#output = data.output ?? this.#output;
    } else if (data.wait !== undefined) {
      this.#waits = data;
    } else if (data.pong) {
      this.#pong = data;
    } else if (data.end) {
      this.#onFiles(data.files ?? {});
      this.#ended(data.end);
    }
    this.#news();
  }

  /* Until something is heard, or the time comes. */
  #wait(until) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, until - performance.now()));
      this.#news = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /* Does it wait for something that never comes? A loop hears no ping. */
  async #isAsleep() {
    const until = performance.now() + PING_MS;
    this.#pong = null;
    this.#worker.postMessage({ping: 1});
    while (!this.#pong && performance.now() < until) {
      await this.#wait(until);
    }
    return this.#pong?.asleep ? 1 : 0;
  }

  send(command, input, room) {
    this.#waits = null;
    this.#worker.postMessage({ask: command, input, room},
      input ? [input.buffer] : []);
  }

  /** Its next line, {line, output}; without wantsLine, and where none comes,
   * null: then end says how it ended. */
  async hear(seconds, wantsLine) {
    const patience = new Patience(seconds);
    for (;;) {
      if (wantsLine && this.#replies.length) {
        const output = this.#output;
        this.#output = null;
        return {line: this.#replies.shift(), output};
      }
      if (this.end) {
        return null;
      }
      if (performance.now() < patience.until) {
        await this.#wait(patience.until);
        continue;
      }
      const asleep = await this.#isAsleep();
      if (this.#replies.length === 0 && (asleep || patience.isOver())) {
        this.#ended({kind: "timeout", code: asleep});
      }
    }
  }

  /** Does it wait for a command, where it did at first, with no more threads?
   * Who answers in the driver's place waits elsewhere, or says more. Return: a
   * number of END. */
  async back(seconds) {
    const patience = new Patience(seconds);
    for (;;) {
      const at = this.#waits;
      this.#first ??= at;
      if (this.end?.kind === "interrupted") {
        return END.interrupted;
      }
      if (this.end || this.#replies.length ||
          (at && at.wait !== this.#first.wait)) {
        return END.tampered;
      }
      if (at && !(at.threads > this.#first.threads)) {
        return END.running;
      }
      if (performance.now() >= patience.until && patience.isOver()) {
        return at ? END.threads : END.tampered;
      }
      await this.#wait(patience.until);
    }
  }

  stop() {
    this.#worker.terminate();
    this.#ended({kind: "signal", code: SIGKILL});
  }
}
