/*
 * workers.js: the engine's workers, which the page begins and ends for it. In
 * Firefox a worker that begins another one waits for it for ever, one time in a
 * thousand; where somebody listens to all workers (a driver of tests, the
 * developer tools), one time in thirty.
 *
 * From the engine: {worker, begin} its URL, {worker, data}, {worker, end}; to
 * it: {worker, data}, {worker, error}. What is sent on is moved, not copied.
 */

/* Large parts of a message between the grader and a program. */
const movable = (data) => [data.data, data.input, data.output]
  .filter(ArrayBuffer.isView).map(({buffer}) => buffer);

/* ---- in the engine -------------------------------------------------------- */

const all = new Map();
let last = 0;

/** As a Worker, as far as worker_program.js uses one. */
export class PageWorker {
  onmessage = () => {};
  onerror = () => {};
  #number = ++last;

  constructor(url) {
    all.set(this.#number, this);
    this.#tell({begin: String(url)});
  }

  #tell(message, moved = []) {
    postMessage({worker: this.#number, ...message}, moved);
  }

  postMessage(data, moved) {
    this.#tell({data}, moved);
  }

  terminate() {
    all.delete(this.#number);
    this.#tell({end: true});
  }
}

/** What the page said of a worker; one that was ended is no longer heard. */
export function heardOfWorker({worker, data, error}) {
  if (error) {
    all.get(worker)?.onerror();
  } else {
    all.get(worker)?.onmessage({data});
  }
}

/* ---- in the page ---------------------------------------------------------- */

/** Begin an engine. Its end() ends the programs with it. */
export function startEngine(url) {
  const engine = new Worker(url, {type: "module"}), workers = new Map();

  function begin(number, at) {
    const worker = new Worker(at, {type: "module"});
    worker.onmessage = ({data}) =>
      engine.postMessage({worker: number, data}, movable(data));
    worker.onerror = (event) => {
      event.preventDefault();
      engine.postMessage({worker: number, error: true});
    };
    workers.set(number, worker);
  }
  engine.addEventListener("message", ({data: {worker, ...message}}) => {
    if (message.begin) {
      begin(worker, message.begin);
    } else if (worker && message.end) {
      workers.get(worker)?.terminate();
      workers.delete(worker);
    } else if (worker) {
      workers.get(worker)?.postMessage(message.data, movable(message.data));
    }
  });
  engine.end = () => [engine, ...workers.values()]
    .forEach((one) => one.terminate());
  return engine;
}
