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

/* 1: a core of its own. By the part that took longest: to one that has slept a
 * system gives more for a moment. */
function shareOfCore() {
  let longest = 0;
  for (let i = 0; i < PARTS; i++) {
    const took = Math.max(part(), 1);
    best = Math.min(best, took);
    longest = Math.max(longest, took);
  }
  return best / longest;
}

export class Patience {
  #start = performance.now();
  #counted = this.#start;
  #had = 0; // ms of a core, up to then
  #limit;

  constructor(seconds) {
    this.#limit = 1000 * seconds;
    this.until = this.#start + this.#limit;
  }

  /** At until: is it over? If not, until is later. */
  isOver() {
    const now = performance.now();
    if (now < this.until) {
      return false;
    }
    this.#had += (now - this.#counted) * shareOfCore();
    this.#counted = now;
    this.until = performance.now() + MORE_MS;
    return now - this.#start > MOST * this.#limit || this.#had > this.#limit;
  }
}
