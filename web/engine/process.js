/*
 * process.js: what the grader asks of the engine (grader/cage/engine.h): to run
 * the compiler on the tree, and programs in workers.
 *
 * A compiler's run is done when it is asked for its end, since it would have
 * the same thread anyway. An object of the course's own sources is there
 * already, and is taken instead.
 */
import {END, TEXT, WorkerProgram, folderOf} from "./worker_program.js";
import {HOME, find, view, write} from "./tree.js";

const ENOEXEC = 8;
const PAGE_BYTES = 65536;
const SLOWER = 2; // a program here than elsewhere: it gets so much more time

/* A path from the repository is one from the root. */
function whole(path) {
  return path.startsWith("/") ? path : `${HOME}/${path}`;
}

/* The words of struct engine_spec, by their first letters. */
function readSpec(memory, at) {
  const view32 = new DataView(memory.buffer, at);
  const number = (offset) => view32.getUint32(offset, true);
  const large = (offset) => Number(view32.getBigUint64(offset, true));
  const words = new TextDecoder()
    .decode(new Uint8Array(memory.buffer, number(0), number(4)))
    .split("\0").slice(0, -1);
  const sort = (letter) => words.filter((word) => word[0] === letter)
    .map((word) => word.slice(1));
  return {args: sort("a"), env: sort("e"), directory: sort("d")[0],
    places: [...sort("r"), ...sort("w")].map(whole), fd: view32.getInt32(8, true),
    files: [number(12), number(16)], room: number(20),
    memoryBytes: large(32), keepBytes: large(40), floodBytes: large(48)};
}

/* The numbers of "case ... input=N output=N ...", as driver_cases.cu has it. */
function bytesOf(command, key) {
  return Number(new RegExp(` ${key}=(\\d+)`).exec(command)?.[1] ?? 0);
}

export class Processes {
  #all = new Map();
  #next = 1;
  #modules = new WeakMap(); // of a program's file
  #host;

  /**
   * @param host  {root: the tree, clang: see clang.js, startWorker(),
   *              progress(words), stopped: a promise, isStopped()}
   */
  constructor(host) {
    this.#host = host;
  }

  /** Module "lab" of what grade.wasm imports. */
  imports(command) {
    const text = (at) => {
      const bytes = new Uint8Array(command.memory.buffer);
      return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
    };
    const waits = (call) => new WebAssembly.Suspending(call);
    return {
      process_start: (at) => this.#start(command, at),
      process_ask: waits((number, words, seconds, wantsLine) =>
        this.#ask(command, this.#all.get(number), words ? text(words) : "",
          seconds, wantsLine)),
      process_back: waits((number, seconds) =>
        this.#all.get(number).program.back(seconds)),
      process_code: (number) => this.#all.get(number).code,
      process_take: (number, what, to, room) =>
        this.#take(command, this.#all.get(number), what, to, room),
      process_stop: (number) => {
        this.#all.get(number).program?.stop();
        this.#all.delete(number);
      },
    };
  }

  /** End all that run. */
  stopAll() {
    for (const {program} of this.#all.values()) {
      program?.stop();
    }
    this.#all.clear();
  }

  #start(command, at) {
    const process = {...readSpec(command.memory, at), code: 0,
      texts: [[], [], [], []]};
    if (process.fd >= 0) {
      process.file = command.fds[process.fd]?.file;
      if (!process.file) {
        return -ENOEXEC;
      }
    }
    this.#all.set(this.#next, process);
    return this.#next++;
  }

  /* Several programs of one grade are one module. */
  async #run(process) {
    if (!this.#modules.has(process.file)) {
      this.#modules.set(process.file,
        await WebAssembly.compile(process.file.data));
    }
    process.program = new WorkerProgram(this.#host.startWorker(), {
      module: this.#modules.get(process.file), args: process.args,
      env: process.env, files: folderOf(process.directory),
      keepBytes: process.keepBytes, floodBytes: process.floodBytes,
      memoryPages: Math.floor(process.memoryBytes / PAGE_BYTES),
    }, {stopped: this.#host.stopped,
      onFiles: (files) => this.#keepFiles(process, files)});
    process.texts = process.program.texts;
  }

  /* What it wrote where it may: in its own folder. */
  #keepFiles(process, files) {
    for (const [path, bytes] of Object.entries(files)) {
      if (path.startsWith(`${process.directory}/`)) {
        write(this.#host.root, path, bytes);
      }
    }
  }

  async #ask(command, process, words, seconds, wantsLine) {
    await null; // the grader is suspended, as contexts.js wants it
    if (this.#host.isStopped()) {
      return END.interrupted;
    }
    if (!process.file) {
      return this.#compile(process);
    }
    if (!process.program) {
      await this.#run(process);
    }
    if (words) {
      const input = bytesOf(words, "input");
      process.output = bytesOf(words, "output");
      process.program.send(words, input ? new Uint8Array(command.memory.buffer,
        process.files[0], input).slice() : null, process.room);
    }
    const heard = await process.program.hear(SLOWER * seconds,
      wantsLine);
    if (!heard) {
      process.code = process.program.end.code;
      return END[process.program.end.kind];
    }
    if (heard.output && process.output) {
      new Uint8Array(command.memory.buffer, process.files[1], process.output)
        .set(heard.output.subarray(0, process.output));
    }
    process.texts[TEXT.reply].push(new TextEncoder().encode(heard.line));
    return END.running;
  }

  #take(command, process, what, to, room) {
    const parts = process.texts[what];
    const part = parts[0];
    if (!part) {
      return 0;
    }
    const taken = part.subarray(0, room);
    new Uint8Array(command.memory.buffer).set(taken, to);
    if (taken.length < part.length) {
      parts[0] = part.subarray(room);
    } else {
      parts.shift();
    }
    return taken.length || this.#take(command, process, what, to, room);
  }

  /* ---- compilers ---- */

  /* Where `make web` has left the object of this source; null: it is not ours.
   * build.c asks for objects by a name that it may choose. */
  #prebuilt(process) {
    const source = process.args.find((word) => word.endsWith(".cu"));
    return source && /^(common|grader\/drivers)\//.test(source) ?
      find(this.#host.root, `${HOME}/build/obj/vgpu/grade/` +
        source.replace(/[/.]/g, "_") + ".o") : null;
  }

  #compile(process) {
    const {args} = process;
    const own = this.#prebuilt(process);
    if (own) {
      write(this.#host.root, whole(args[args.indexOf("-o") + 1]), own.data);
      process.code = 0;
      return END.exit;
    }
    this.#host.progress(args.includes("-c") ? "compiling" : "linking");
    const {status, output} = this.#host.clang.vgpucc(args.slice(1),
      process.places.length ? view(this.#host.root, process.places) :
        this.#host.root, HOME);
    process.texts[TEXT.err].push(new TextEncoder().encode(output));
    process.code = status;
    return END.exit;
  }
}

