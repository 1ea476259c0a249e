/* budgets.test.mjs: what the site may cost in Chromium, as a student has it: in
 * the lab's page, by its buttons. A time is the best of a few, since a busy
 * machine only adds. BUDGETS=FILE keeps the figures (docs/measured/web.sh).
 *
 * Memory is what the browser's processes have for themselves alone (Private_*
 * of /proc/PID/smaps_rollup), all of them together, at its highest.
 */
import {execFileSync} from "node:child_process";
import {appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync}
  from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {serve} from "../../web/serve.mjs";
import {check, finish, folder, openBrowser, test, which} from "./harness.mjs";

const LAB = "labs/08_uneven_chunks/index.html";
const LIMIT_MS = 120000, TRIES = 5;

const SOLUTION = execFileSync("tools/skeleton", ["--solution",
  "solutions/08_uneven_chunks/lab.cu"], {encoding: "utf8"});

/* One figure, beside its limit. */
function figure(name, value, limit, unit) {
  const line = `${name.padEnd(46)}${value.toFixed(unit === "s" ? 2 : 0)
    .padStart(7)} ${unit.padEnd(3)} at most ${+limit.toFixed(1)}`;
  console.log(`# ${line}`);
  if (process.env.BUDGETS) {
    appendFileSync(process.env.BUDGETS, line + "\n");
  }
  check(value > 0 && value <= limit, `${name}: ${value} ${unit}`);
}

/* ---- memory --------------------------------------------------------------- */

const textOf = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
};

/* A process and all that it started. */
function family(pid) {
  const parents = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    .map((name) => [name, textOf(`/proc/${name}/stat`).split(") ").at(-1)
      .split(" ")[1]]);
  const found = [String(pid)];
  for (const one of found) { // grows while it is walked
    found.push(...parents.filter(([, parent]) => parent === one)
      .map(([name]) => name));
  }
  return found;
}

const privateBytes = (pid) => family(pid).reduce((sum, one) => sum +
  [...textOf(`/proc/${one}/smaps_rollup`)
    .matchAll(/^Private_\w+: +(\d+) kB$/gm)]
    .reduce((part, [, kb]) => part + 1024 * kb, 0), 0);

/* The highest from now on, until it is asked for. */
function watchMemory(pid) {
  let most = 0;
  const look = () => {
    most = Math.max(most, privateBytes(pid));
  };
  const timer = setInterval(look, 1000);
  return () => {
    look();
    clearInterval(timer);
    return most;
  };
}

/* ---- the page ------------------------------------------------------------- */

const ready = (page) => page.waitForFunction(() =>
  document.querySelector("#lab-state")?.textContent);

/* What is waited for after a press, in the page. */
const SEEN = {
  compiles: () => /compiling/.test(
    document.querySelector(".status").textContent),
  timeline: () => Boolean(document.querySelector(
    "iframe.timeline:not(.before)")?.contentDocument
    ?.querySelector("#frame:not([hidden])")),
  verdict: () => Boolean(document.querySelector(".verdict:not(.before)")),
};

/* From a press on until that, in seconds. As a text, since the page's policy
 * lets no function be made of one. */
const pressAndWait = (page, button, what) => page.evaluate(`(${
  (words, seen, most) => new Promise((done, fail) => {
    document.querySelectorAll("iframe.timeline, .verdict")
      .forEach((old) => old.classList.add("before"));
    const start = performance.now();
    [...document.querySelectorAll("#workbench button")]
      .find((b) => b.textContent === words && !b.disabled).click();
    const look = () => {
      const ms = performance.now() - start;
      if (seen()) {
        done(ms / 1000);
      } else if (ms > most) {
        fail(new Error(`${words}: never`));
      } else {
        setTimeout(look, 10);
      }
    };
    look();
  })})(${JSON.stringify(button)}, ${SEEN[what]}, ${LIMIT_MS})`);

const idle = (page) => page.waitForFunction(() =>
  /Done in|mark/.test(document.querySelector(".status").textContent),
{timeout: LIMIT_MS});

/* The file with one more line at its end: never the same twice. */
async function edit(page) {
  await page.evaluate(() => document.querySelector(".editor").shadowRoot
    .querySelector(".cm-content").focus());
  await page.keyboard.down("Control");
  await page.keyboard.press("End");
  await page.keyboard.up("Control");
  await page.keyboard.type("// more\n");
}

async function best(page, button, what) {
  let least = Infinity;
  for (let i = 0; i < TRIES; i++) {
    await edit(page);
    least = Math.min(least, await pressAndWait(page, button, what));
    await idle(page);
  }
  return least;
}

/* Who keeps files is in charge as soon as the whole site is there. */
const inCharge = (page) => page.evaluate(() => new Promise((done) => {
  const container = navigator.serviceWorker;
  container.controller ? done() :
    container.addEventListener("controllerchange", () => done());
}));

/* All that was fetched for later lies there. */
const allKept = (page) => page.evaluate(async () => {
  const list = await (await fetch("../../service-worker.js")).text();
  const {files} = JSON.parse(list.match(/^const SITE = (\{[\s\S]*?\n\});/)[1]);
  const kept = new Set((await Promise.all((await caches.keys()).map(async (n) =>
    (await (await caches.open(n)).keys()).map(({url}) =>
      url.split("/").at(-1))))).flat());
  return Object.keys(files).every((name) => !name.startsWith("engine/") ||
    kept.has(files[name]));
});

/* The student's file becomes this one, as by File, Import. */
async function take(page, text) {
  await page.evaluate((words) => {
    const files = new DataTransfer();
    files.items.add(new File([words], "lab.cu"));
    const picker = document.querySelector("input[type=file]");
    picker.files = files.files;
    picker.dispatchEvent(new Event("change"));
  }, text);
  await page.waitForSelector(".note");
}

/* How long a Run takes on this machine without a browser, in seconds. */
function nativeRun() {
  const traces = mkdtempSync(join(tmpdir(), "budgets-"));
  let least = Infinity;
  for (let i = 0; i < TRIES; i++) {
    const start = performance.now();
    execFileSync("build/bin/grade", ["--backend", "vgpu", "--run", "--traces",
      traces, "--solution", "08"]);
    least = Math.min(least, (performance.now() - start) / 1000);
  }
  rmSync(traces, {recursive: true});
  return least;
}

/* ---- all of it ------------------------------------------------------------ */

/* A visitor's first minutes: each step goes on where the one before ended. */
async function measure(site, browser) {
  const memory = watchMemory(browser.driver.process().pid);
  const lab = site.address + LAB;
  let page = await browser.open(lab);

  await test("the page is there without the compiler", async () => {
    let least = Infinity;
    for (let i = 0; i < TRIES; i++) {
      await page.reload();
      await ready(page);
      least = Math.min(least, await page.evaluate(() =>
        performance.getEntriesByName("lab-ready")[0].startTime));
    }
    figure("page usable", least / 1000, 2, "s");
  });
  await inCharge(page);
  await test("the first need of a compiler", async () => {
    figure("compiler ready, from a local server",
      await pressAndWait(page, "Run", "compiles"), 10, "s");
    await idle(page);
    for (let ms = 0; ms < 30000 && !await allKept(page); ms += 500) {
      await new Promise((done) => setTimeout(done, 500));
    }
    check(await allKept(page), "what was fetched is not kept");
  });
  await test("the compiler from what is kept", async () => {
    let least = Infinity;
    for (let i = 0; i < TRIES; i++) {
      await page.close();
      page = await browser.open(lab);
      await ready(page);
      least = Math.min(least, await pressAndWait(page, "Run", "compiles"));
      await idle(page);
    }
    figure("compiler ready, from what is kept", least, 3, "s");
  });
  await take(page, SOLUTION);
  /* Where even the native one takes long, three times as long as that. */
  await test("Run after an edit", async () => figure(
    "Run of lab 08, solved, after an edit", await best(page, "Run",
      "timeline"), Math.max(3, 3 * nativeRun()), "s"));
  await test("Grade after an edit", async () => figure(
    "Grade of lab 08, solved, after an edit", await best(page, "Grade",
      "verdict"), 10, "s"));
  await test("memory", async () => figure("the browser's private memory",
    memory() / 1e6, 1500, "MB"));
  await page.close();
}

if (which === "chromium") {
  const site = await serve({folder, base: "/any/path/"});
  const browser = await openBrowser();
  await measure(site, browser);
  await browser.close();
  await site.close();
}
finish();
