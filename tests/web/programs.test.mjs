/* programs.test.mjs: programs in the tab, through the engine's own request.
 * Right ones print the facts that a real GPU was recorded with: one conformance
 * program of each kind, PROGRAMS=all for all of them, PROGRAMS="NAME..." for
 * some. Wrong ones are ended, each with words that say what happened, and leave
 * an engine that runs the next one; WRONG=null for those with that in the name.
 */
import {existsSync, readFileSync, readdirSync} from "node:fs";
import {askEngine, check, run, same, test, which} from "./harness.mjs";

const CONFORMANCE = "vgpu/tests/conformance";
const FEW = ["copy_kinds", "dev_shuffle", "dev_syncthreads", "event_diamond",
  "fault_illegal_address", "graph_explicit", "host_func_order",
  "memory_pool_streams", "occupancy", "peer_copy", "per_thread_default",
  "symbol_copy", "thread_last_error"];
/* One of them tells whether a browser's engine is another. */
const FEWER = ["thread_last_error", "host_func_order", "graph_explicit"];
const ANSWER_MS = 120000;
/* A busy machine gives a program up to five times its 8 s: patience.js. */
const TOLD_MS = 5 * 10000;

const read = (name) => readFileSync(`${CONFORMANCE}/${name}`, "utf8");

/* ---- the engine of a page ---- */

/* What a program of the playground answers, and how long it took. */
async function runInTab(page, fields) {
  const answer = await askEngine(page, page.engineUrl,
    {do: "program", ...fields}, ANSWER_MS);
  check(!answer.error, `the engine says: ${answer.error}`);
  same(page.problems.splice(0), [], "what the page heard beside it");
  return answer;
}

/* ---- conformance ---- */

/* Sizes have 32 bits: one that no device has is another there. */
const LARGER_THAN_A_TAB = [["malloc_async", "malloc_too_much.error"],
  ["malloc_free", "malloc_too_much.out_of_memory"],
  ["malloc_pitch", "malloc_3d_too_much.error"],
  ["pinned_flags", "too_much.error"]].flatMap(([name, fact]) =>
  [`${name} ${fact}`, `${name} ${fact.replace(/\.\w+$/, ".latched")}`]);

/* A tab has no second process: what a header says of one must be readable. */
const NO_PROCESSES = `#include <unistd.h>
static inline pid_t fork(void) { return -1; }
static inline int waitpid(pid_t, int *, int) { return -1; }
#define WIFEXITED(status) 0
#define WEXITSTATUS(status) 0
#define WTERMSIG(status) 0
`;
const needsProcess = (name) =>
  /ipc\.h|fact_in_child\(/.test(read(`${name}.cu`));

/* The one text that a page sends: with its headers in it. */
function textOf(name, seen = new Set()) {
  return read(name).replace("#include <sys/wait.h>\n", NO_PROCESSES)
    .replace(/^#include "(\w+\.h)"\n/gm, (line, header) => {
      if (!existsSync(`${CONFORMANCE}/${header}`)) {
        return line;
      }
      const text = seen.has(header) ? "" : textOf(header, seen.add(header));
      return text + "\n";
    });
}

/* Facts of a device that differs on purpose are in differences.txt. */
const known = read("differences.txt").split("\n")
  .filter((line) => line && !line.startsWith("#"))
  .map((line) => line.split(" ").slice(0, 2).join(" "))
  .concat(LARGER_THAN_A_TAB);

function factsOf(name, text) {
  return text.split("\n").filter((line) => line.includes("=") &&
    !known.includes(`${name} ${line.split("=")[0]}`) &&
    !known.includes(`${name} *`));
}

/* Of the wrong ones: all, unless some of these or of those are asked for. */
const asked = ([name]) => process.env.WRONG ? name.includes(process.env.WRONG) :
  !process.env.PROGRAMS;

function wanted() {
  const words = (process.env.PROGRAMS || "").split(" ").filter(Boolean);
  const all = readdirSync(CONFORMANCE).filter((f) => f.endsWith(".cu"))
    .map((f) => f.replace(".cu", "")).sort();
  if (words.includes("all")) {
    return all.filter((name) => !needsProcess(name) &&
      existsSync(`${CONFORMANCE}/expected/${name}.txt`));
  }
  return words.length || process.env.WRONG ? words :
    which === "firefox" ? FEWER : FEW;
}

async function conforms(page, name) {
  const [, flags = ""] = read(`${name}.cu`).match(/^\/\/ flags: *(.*)/m) || [];
  const {status, stdout, stderr} = await runInTab(page, {name: `${name}.cu`,
    text: textOf(`${name}.cu`), device: "h200", gpus: 2,
    options: flags.split(" ").filter(Boolean)});
  same([status, factsOf(name, stdout)],
    [0, factsOf(name, read(`expected/${name}.txt`))], stderr || "facts");
}

/* ---- what goes wrong ---- */

const HEAD = "#include <cstdio>\n#include <cstdlib>\n" +
  "#include <cuda_runtime.h>\n";
const RIGHT = `${HEAD}__global__ void add(int *x) { atomicAdd(x, 1); }
int main() {
  int *x, sum = -1;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  add<<<4, 32>>>(x);
  cudaMemcpy(&sum, x, 4, cudaMemcpyDefault);
  printf("sum %d\\n", sum);
}
`;

const DEVICE_MEMORY = /program\.cu:\d: .*device memory/s;

/* [what, text after HEAD, the status, words that are said] */
const WRONG = [
  ["an endless loop", "int main() { for (volatile int i = 0;; i = 1); }", 128,
    /did not finish within \d+ s/],
  ["a kernel that never ends", `__global__ void spin(volatile int *x) {
    while (!*x); }
    int main() { int *x; cudaMalloc(&x, 4); cudaMemset(x, 0, 4);
    spin<<<1, 1>>>(x); printf("%d", cudaDeviceSynchronize()); }`, 87,
  /program\.cu:5: the program never ends/],
  ["the host in device memory",
    "int main() { int *x; cudaMalloc(&x, 64); x[3] = 1; }", 128,
    DEVICE_MEMORY],
  ["a division by zero", `int main(int n, char **) {
    volatile int zero = n - 1; printf("%d", 7 / zero); }`, 128,
  /division by zero/i],
  ["endless recursion", `int deep(volatile int *x) { volatile int y = *x + 1;
    return deep(&y) + y; }
    int main() { volatile int x = 0; return deep(&x); }`, 128, /stack/],
  ["8 GB by cudaMalloc", `int main() { int n = 0; void *p = 0;
    cudaError_t e;
    while (n < 8 && !(e = cudaMalloc(&p, 1 << 30))) n++;
    puts(cudaGetErrorName(e)); }`, 0, /: 1 GiB are asked for, and of the /,
  /^cudaErrorMemoryAllocation\n$/],
  ["8 GB by one number", `int main() { void *p = 0;
    return cudaMalloc(&p, 8ull << 30); }`, 0, /program\.cu:5.*changes value/],
  ["8 GB by malloc", `int main() { int n = 0; void *volatile p;
    while (n < 8 && (p = malloc(1 << 30))) n++;
    puts(n < 8 ? "no more" : "more than there is"); }`, 0, /^$/,
  /^no more\n$/],
  ["8 GB by new", `int main() {
    for (int i = 0; i < 8; i++) { char *volatile p = new char[1 << 30]; } }`,
  128, /aborted.*`new` without memory/],
  ["a flood of output", `int main() {
    for (;;) puts("water and more water and more"); }`, 128,
  /printed more than 16 MiB/],
  ["throw", "int main() { throw 42; }", 128,
    /instance of 'int'.*program\.cu:4: an exception/s],
  ["what would be caught", `#include <stdexcept>
    int main() { try { throw std::runtime_error("no"); }
    catch (const std::exception &e) { puts(e.what()); } }`, 128,
  /instance of 'std::runtime_error'.*program\.cu:5: an exception/s],
  ["what the library throws", `#include <vector>
    int main() { std::vector<int> v; return v.at(1); }`, 128, /out_of_range/],
  ["more on the stack than there is", `int main(int n, char **) {
    volatile int x[3 << 20]; x[n] = 1; return x[n - 1]; }`, 128,
  /stack is full/],
  ["exit(3)", 'int main() { puts("bye"); exit(3); }', 3, /^$/, /^bye\n$/],
];

/* What the host may do to a place in memory: none is let off. */
const USES = {
  "a plain write": "*p = 1", "a plain read": "sum += *p",
  "a volatile write": "*(volatile int *)p = 1",
  "a volatile read": "sum += *(volatile int *)p",
  "an atomic add": "__atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST)",
  "a write of 16 bytes": "*(int4 *)p = make_int4(1, 2, 3, 4)",
  "a write across": "((char *)p)[1] = 1; __builtin_memcpy((char *)p + 1, q, 4)",
  "memset": "memset(p, 1, argc * 40)", "memcpy": "memcpy(q, p, argc * 40)",
};
const USE = (pointer, use) => `#include <cstring>
    int main(int argc, char **) { int sum = 0, q[16] = {0}, *p; ${pointer}
    ${use}; printf("%d", sum + q[3]); }`;
const NOT_ITS_OWN = /program\.cu:6: host code uses an address that is not its/;
const ILLEGAL = [
  ...Object.entries(USES).flatMap(([name, use]) => [
    [`${name} through a null pointer`,
      USE("p = (int *)(intptr_t)(argc - 1);", use), 128, NOT_ITS_OWN],
    [`${name} by the host in device memory`,
      USE("cudaMalloc(&p, 64);", use), 128, DEVICE_MEMORY]]),
  ["a small address", USE("p = (int *)(intptr_t)(argc * 40000);", "*p = 1"),
    128, NOT_ITS_OWN],
  ["a null pointer that is written so", USE("p = NULL;", "*p = 1"), 128,
    NOT_ITS_OWN],
  ["a null pointer in a host function", `void at(void *p) { *(int *)p = 1; }
    int main() { cudaLaunchHostFunc(0, at, NULL);
    printf("%d", cudaDeviceSynchronize()); }`, 128, /program\.cu:4: host code/],
  ["a kernel at a small address", `__global__ void set(int *x) { x[2000] = 1; }
    int main() { set<<<1, 1>>>(NULL); printf("%d", cudaDeviceSynchronize()); }`,
  0, /program\.cu:4 .*host memory/],
];

async function goesWrong(page, [, text, status, words, printed]) {
  const answer = await runInTab(page, {name: "program.cu", text: HEAD + text,
    check: true});
  console.log(`# told after ${Math.round(answer.ms)} ms`);
  check(answer.ms < TOLD_MS, `told after ${answer.ms} ms`);
  same(answer.status, status, `status; ${answer.stderr}`);
  check(words.test(answer.stderr), `stderr: ${answer.stderr}`);
  check(!printed || printed.test(answer.stdout), `stdout: ${answer.stdout}`);
}

/* ---- all of it ---- */

await run(async ({browser, address}) => {
  const page = await browser.open(address("index.html"));
  page.engineUrl = address("engine/engine.js");
  const right = async (words) => {
    const {status, stdout, stderr, ms} = await runInTab(page, {text: RIGHT,
      name: "program.cu", check: true});
    same([status, stdout], [0, "sum 128\n"], `${words}; ${stderr}`);
    return ms;
  };

  await test("a right program", () => right("at first"));
  for (const name of wanted()) {
    await test(`${name}: the recorded facts`, () => conforms(page, name));
  }
  for (const one of WRONG.filter(asked)) {
    await test(`${one[0]}: said, and the next one runs`, async () => {
      await goesWrong(page, one);
      await right(`after ${one[0]}`);
    });
  }
  for (const one of ILLEGAL.filter(asked)) {
    await test(`${one[0]}: said`, () => goesWrong(page, one));
  }
  await page.close();
});
