/*
 * patience.js: when a program has had its time. As in grader/cage/child.c it
 * gets more where the machine is so busy that it got little of it. A tab cannot
 * ask what another worker got, so this worker looks what it gets itself.
 */
const PARTS = 6, TURNS = 5e6;
const MORE_MS = 500, MOST = 5; // times the limit

let best = Infinity; // ms of one part, undisturbed
let last = 0;

function part() {
  const start = performance.now();
  for (let i = 0; i < TURNS; i++) {
    last = (last * 31 + i) | 0;
  }
  return performance.now() - start;
}

/* 1: a core of its own. */
function shareOfCore() {
  let sum = 0;
  for (let i = 0; i < PARTS; i++) {
    const took = part();
    best = Math.min(best, Math.max(took, 1));
    sum += took;
  }
  return PARTS * best / Math.max(sum, 1);
}

export class Patience {
  #start = performance.now();
  #limit;

  constructor(seconds) {
    this.#limit = 1000 * seconds;
    this.until = this.#start + this.#limit;
  }

  /** At until: is it over? If not, until is later. */
  isOver() {
    const waited = performance.now() - this.#start;
    if (waited < this.#limit) {
      return false;
    }
    this.until = performance.now() + MORE_MS;
    return waited > MOST * this.#limit ||
      waited * shareOfCore() > this.#limit;
  }
}
