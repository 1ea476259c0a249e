/*
 * engine.js: the worker that compiles, runs and grades for a page: the
 * project's own tools on a tree of files in memory. Knows no page: README.md
 * lists the messages. client.js is the page's side of it.
 */
import {Clang} from "./clang.js";
import {runCommand} from "./command.js";
import {Processes} from "./process.js";
import {unpack} from "./tar.js";
import {HOME, makeFolder, read, readText, remove, write} from "./tree.js";
import {WorkerProgram, folderOf} from "./worker_program.js";
import {PageWorker, heardOfWorker} from "./workers.js";

const BASE = new URL("./", import.meta.url);
const ENV = [`PATH=${HOME}/build/bin`, "VGPU_CXX=clang++"];
const TRACES = `${HOME}/build/traces`, PLAY = `${HOME}/build/play`;
const PLAY_SECONDS = 8;
const PAGES = 32768; // 2 GiB

class Stop extends Error {}

/* ---- what is fetched, once ------------------------------------------------ */

async function fetchBytes(name) {
  const response = await fetch(new URL(name, BASE));
  if (!response.ok) {
    throw new Error(`${name} cannot be fetched: ${response.status}`);
  }
  const stream = name.endsWith(".gz") ?
    response.body.pipeThrough(new DecompressionStream("gzip")) : response.body;
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const once = (make) => {
  let made = null;
  return (...args) => {
    made ??= make(...args).catch((error) => {
      made = null; // the next one tries again
      throw error;
    });
    return made;
  };
};

const loadTree = once(async () => unpack(await fetchBytes("lab.tar.gz")));
const loadClang = once((say) => Clang.load({base: BASE,
  progress: (bytes, total) =>
    say({progress: "fetching the compiler", bytes, total})}));
const loadTool = {};
for (const name of ["grade", "timeline"]) {
  loadTool[name] = once(async () => WebAssembly.compile(
    await fetchBytes(`${name}.wasm.gz`)));
}

/* A worker takes some time to begin, so the next one is begun before it is
 * asked for. */
const beginWorker = () => new PageWorker(new URL("program.js", BASE));
let nextWorker = null;

function takeWorker() {
  const worker = nextWorker ?? beginWorker();
  nextWorker = beginWorker();
  return worker;
}

/* ---- one request ---------------------------------------------------------- */

class Request {
  #stop;
  isStopped = false;

  constructor(data) {
    this.data = data;
    this.stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  stop() {
    this.isStopped = true;
    this.#stop();
  }

  say = (data) => postMessage({id: this.data.id, ...data});

  /* Stops only between two steps, and where something is waited for. */
  check() {
    if (this.isStopped) {
      throw new Stop();
    }
  }

  async open() {
    this.root = await loadTree();
    this.clang = await loadClang(this.say);
    this.check();
  }

  startWorker = takeWorker;

  /* Run grade.wasm with these words. */
  async grade(words) {
    const processes = new Processes({root: this.root, clang: this.clang,
      startWorker: this.startWorker, stopped: this.stopped,
      isStopped: () => this.isStopped,
      progress: (progress) => this.say({progress})});
    try {
      return await runCommand({module: await loadTool.grade(),
        args: ["grade", "--backend", "vgpu", ...words], env: ENV,
        root: this.root, imports: (command) => processes.imports(command)});
    } finally {
      processes.stopAll();
      this.check();
    }
  }

  /* Run timeline.wasm. Return: what it printed. */
  async timeline(words) {
    const {status, stdout, stderr} = await runCommand({root: this.root,
      module: await loadTool.timeline(), args: ["timeline", ...words],
      env: ["LC_ALL=C.UTF-8"]});
    if (status) {
      throw new Error(stderr);
    }
    return stdout;
  }

  /* The student's text where the grader looks for it. Return: the lab's name
   * with what says whose file it is. */
  place({lab, text, flags, solution}) {
    const folder = `${HOME}/${solution ? "solutions" : "labs"}/${lab}`;
    write(this.root, `${folder}/lab.cu`, text);
    remove(this.root, `${folder}/flags`);
    if (flags) {
      write(this.root, `${folder}/flags`, flags);
    }
    return solution ? ["--solution", lab] : [lab];
  }
}

/* ---- labs ----------------------------------------------------------------- */

async function grade(request) {
  const path = `${HOME}/build/result.json`;
  remove(request.root, path);
  const {status, stdout, stderr} = await request.grade(
    ["--json", path, ...request.place(request.data)]);
  if (status > 1) {
    throw new Error(stderr || "It could not be graded.");
  }
  return {status, stdout, json: readText(request.root, path)};
}

/* As tools/run-lab does it: the baseline above, the student below. */
async function drawLab(request, number, lab, solution) {
  const traces = {}, words = [];
  const mine = solution ? "solution" : "student";
  const heading = (readText(request.root, `${HOME}/labs/${lab}/README.md`) ??
    "").match(/^# (.*)/)?.[1] ?? `Lab ${number}`;
  for (const [which, title] of [["baseline", readText(request.root,
    `${TRACES}/${number}_baseline.title`) ?? "without overlap"],
  [mine, solution ? "the solution" : "your lab.cu"]]) {
    const path = `${TRACES}/${number}_${which}.trace`;
    const bytes = read(request.root, path);
    if (bytes) {
      write(request.root, path, bytes); // with its day
      traces[which] = new TextDecoder().decode(bytes);
      words.push("--title", title, path);
    }
  }
  if (!traces[mine]) {
    return {traces, stdout: "", data: null};
  }
  return {traces, ...await draw(request, ["--heading", heading, ...words])};
}

async function draw(request, words) {
  const page = `${HOME}/build/page.html`;
  const stdout = await request.timeline(
    ["--text", "--html", page, "--source", HOME, ...words]);
  return {stdout, data: readText(request.root, page)};
}

async function run(request) {
  const {lab, solution} = request.data;
  const {status, stdout, stderr} = await request.grade(
    ["--run", "--traces", TRACES, ...request.place(request.data)]);
  if (status > 1) {
    throw new Error(stderr || "It could not be run.");
  }
  const drawn = await drawLab(request, lab.slice(0, 2), lab, solution);
  return {status, traces: drawn.traces, data: drawn.data,
    stdout: stdout + (drawn.stdout && `\n${drawn.stdout}`)};
}

async function sweep(request) {
  const {status, stdout, stderr} =
    await request.grade(["--sweep", ...request.place(request.data)]);
  if (status > 1) {
    throw new Error(stderr || "It could not be measured.");
  }
  return {status, stdout};
}

/* ---- any program ---------------------------------------------------------- */

/* Compiled as a lab's file, or else as a program by itself. */
function compileText(request, object) {
  const {lab, text, name = "program.cu", options = []} = request.data;
  const path = `build/play/${name.replace(/.*\//, "")}`;
  write(request.root, `${HOME}/${path}`, text);
  request.say({progress: "compiling"});
  return request.clang.vgpucc(["-O2", "-std=c++17", "-Icommon",
    ...(lab ? [`-Ilabs/${lab}`, "-Igrader/drivers"] : []), ...options, "-c",
    path, "-o", object], request.root, HOME);
}

async function compile(request) {
  const {status, output} = compileText(request, `${PLAY}/program.o`);
  return {status, messages: output};
}

function environmentOf(request, trace) {
  const {device, profile, gpus, check} = request.data;
  return ["LC_ALL=C", "VGPU_CORES=1", "VGPU_SEED=1", `VGPU_TRACE=${trace}`,
    ...(profile ? [`VGPU_DEVICE=${PLAY}/own.profile`] :
      device ? [`VGPU_DEVICE=${device}`] : []),
    ...(gpus > 1 ? [`VGPU_COUNT=${gpus}`] : []),
    ...(check ? ["VGPU_CHECK=1"] : [])];
}

/* Run what was linked. Resolves with how it ended, its texts and its trace. */
async function runProgram(request, trace) {
  const {args = [], profile, name = "program"} = request.data;
  const started = new WorkerProgram(request.startWorker(), {
    module: await WebAssembly.compile(read(request.root, `${PLAY}/program`)),
    args: [name.replace(/\.cu$/, ""), ...args],
    env: environmentOf(request, trace),
    files: {...folderOf(PLAY), ...(profile ? {[`${PLAY}/own.profile`]:
      new TextEncoder().encode(profile)} : {})},
    keepBytes: 1 << 16, floodBytes: 16 << 20, memoryPages: PAGES,
  }, {stopped: request.stopped, onFiles: (files) => {
    for (const [path, bytes] of Object.entries(files)) {
      write(request.root, path, bytes);
    }
  }});
  try {
    await started.hear(PLAY_SECONDS, false);
  } finally {
    started.stop();
  }
  request.check();
  const [, report, out, err] = started.texts.map((parts) =>
    parts.map((part) => new TextDecoder().decode(part)).join(""));
  return {end: started.end, stdout: out, stderr: err + report};
}

const WORDS_OF_END = {
  timeout: `It was ended: it did not finish within ${PLAY_SECONDS} s.`,
  flood: "It was ended: it printed more than 16 MiB.",
  memory: "It was ended: it took more than 2 GiB of memory.",
};
const WORDS_OF_SIGNAL = {
  6: "It was aborted: abort(), an assert, an exception, `new` without memory.",
  8: "It crashed: a division by zero.",
  11: "It crashed: the host touched memory that is not its own.",
};

async function program(request) {
  const trace = `${PLAY}/program.trace`;
  remove(request.root, trace);
  const made = compileText(request, `${PLAY}/program.o`);
  if (made.status === 0) {
    const helper = `${HOME}/build/obj/vgpu/grade/common_helper_cu.o`;
    const linked = request.clang.vgpucc([`${PLAY}/program.o`,
      ...(read(request.root, helper) ? [helper] : []), "-o",
      `${PLAY}/program`], request.root, HOME);
    made.status = linked.status;
    made.output += linked.output;
  }
  if (made.status) {
    return {status: made.status, stdout: "", stderr: made.output, trace: null,
      data: null};
  }
  request.say({progress: "running"});
  const {end, stdout, stderr} = await runProgram(request, trace);
  const words = end.kind === "signal" ? WORDS_OF_SIGNAL[end.code] ??
    `It was ended by signal ${end.code}.` : WORDS_OF_END[end.kind] ?? "";
  const text = readText(request.root, trace);
  const drawn = text ? await draw(request, ["--title",
    request.data.name ?? "program.cu", trace]) : {data: null};
  return {status: end.kind === "exit" ? end.code : 128, stdout,
    stderr: [made.output, stderr, words && words + "\n"].join(""), trace: text,
    data: drawn.data};
}

/* ---- messages ------------------------------------------------------------- */

const WORK = {grade, run, sweep, compile, program};
let current = null;

async function answer(data) {
  const request = current = new Request(data);
  try {
    await request.open();
    makeFolder(request.root, PLAY);
    makeFolder(request.root, "/tmp");
    request.say(await WORK[data.do](request));
  } catch (error) {
    request.say(error instanceof Stop || request.isStopped ? {stopped: true} :
      {error: error.message});
  } finally {
    current = null;
  }
}

onmessage = async ({data}) => {
  if (data.worker) {
    heardOfWorker(data);
  } else if (data.do === "ready") {
    postMessage({id: data.id, jspi: "Suspending" in WebAssembly,
      compiler: typeof DecompressionStream === "function"});
  } else if (data.do === "stop") {
    current?.stop();
    postMessage({id: data.id});
  } else if (WORK[data.do]) {
    await answer(data);
  } else {
    postMessage({id: data.id, error: `${data.do}: nobody knows how`});
  }
};
