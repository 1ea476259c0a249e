/* harness.mjs: what each test of the site needs: the site served from a folder
 * of its own below a sub-path, a browser, pages that remember what went wrong
 * in them, and TAP. Run by run.sh as
 *
 *     node tests/web/NAME.test.mjs chromium|firefox
 */
import {mkdirSync} from "node:fs";
import puppeteer from "puppeteer-core";
import {serve} from "../../web/serve.mjs";

export const which = process.argv[2] || "chromium";
export const folder = process.env.SITE || "build/web";
export const shots = "build/web-shots";
const BASE = "/any/path/";
const LIMIT_MS = 60000;

/* ---- TAP ---- */

let count = 0, failed = 0;

/* One test: fine when `body` throws nothing. Its number is that of its end:
 * several may be under way. */
export async function test(name, body) {
  const start = performance.now();
  const say = (how) => console.log(`${how} ${++count} - ${which}: ${name} # ${
    Math.round(performance.now() - start)} ms`);
  try {
    await body();
    say("ok");
  } catch (error) {
    failed++;
    say("not ok");
    console.log(String(error.stack || error).replace(/^/gm, "# "));
  }
}

export function check(holds, otherwise) {
  if (!holds) {
    throw new Error(otherwise);
  }
}

export function same(got, wanted, what) {
  const [a, b] = [got, wanted].map((value) => JSON.stringify(value));
  check(a === b, `${what}: ${a}, not ${b}`);
}

export function finish() {
  console.log(`1..${count}`);
  process.exit(failed ? 1 : 0);
}

/* ---- browsers and pages ---- */

/* What a driver's own words would hide: a page's Content-Security-Policy said
 * no, a promise was left alone. */
function watchInside() {
  addEventListener("securitypolicyviolation", (event) => console.error(
    `policy: ${event.violatedDirective} forbids ${event.blockedURI} ` +
    `(${event.sourceFile}:${event.lineNumber})`));
  addEventListener("unhandledrejection", (event) => console.error(
    `rejected: ${event.reason?.stack || event.reason}`));
}

/* @prefs  Firefox's settings */
export async function openBrowser({dark = false, prefs = {}} = {}) {
  const firefox = which === "firefox";
  const browser = await puppeteer.launch({browser: firefox ? "firefox" :
    "chrome", headless: true, protocolTimeout: 4 * LIMIT_MS,
  executablePath: firefox ? process.env.FIREFOX || "/usr/bin/firefox-esr" :
    process.env.CHROMIUM || "/usr/bin/chromium",
  args: firefox ? [] : ["--no-sandbox", "--font-render-hinting=none"],
  // The driver's way to ask for dark colours is Chromium's alone.
  extraPrefsFirefox: {"layout.css.prefers-color-scheme.content-override":
    dark ? 0 : 1, ...prefs}});

  return {close: () => browser.close(), driver: browser,
    open: (address, options) => openPage(browser, dark, address, options)};
}

/* A page, loaded, with page.problems: lines of text that a page without faults
 * does not have, and page.sent: [{url, bytes}] of what it fetched. */
async function openPage(browser, dark, address, {width = 1440, height = 900,
  prepare = async () => {}} = {}) {
  const page = await browser.newPage();
  const origin = new URL(address).origin;

  page.problems = [];
  page.sent = [];
  page.setDefaultTimeout(LIMIT_MS);
  await page.setViewport({width, height});
  if (which === "chromium") {
    await page.emulateMediaFeatures([{name: "prefers-color-scheme",
      value: dark ? "dark" : "light"}]);
  }
  page.on("console", (message) => {
    if (["error", "warn", "assert"].includes(message.type())) {
      page.problems.push(`console: ${message.text()} ` +
        (message.location()?.url || ""));
    }
  });
  page.on("pageerror", (error) => page.problems.push(`error: ${error}`));
  page.on("request", (request) => {
    const url = request.url();
    if (/^(https?|wss?|ftp):/.test(url) && !url.startsWith(origin + "/")) {
      page.problems.push(`a request elsewhere: ${url}`);
    }
  });
  page.on("response", (response) => {
    const bytes = Number(response.headers()["content-length"] || 0);
    page.sent.push({url: response.url(), bytes});
    if (response.status() >= 400) {
      page.problems.push(`${response.status()}: ${response.url()}`);
    }
  });
  await page.evaluateOnNewDocument(watchInside);
  await prepare(page);
  await page.goto(address, {waitUntil: "load"});
  return page;
}

/* The same, closed afterwards, and without problems. */
export async function onPage(browser, address, options, body) {
  const page = await browser.open(address, options);
  try {
    await body(page);
    same(page.problems, [], "problems");
  } finally {
    await page.close();
  }
}

/* What the engine at `url`, a worker of the page, answers, and after how many
 * ms. It stays: its compiler is loaded once. */
export const askEngine = (page, url, request, most) => page.evaluate(
  async (fields, address, limit) => {
    const {startEngine} = await import(new URL("workers.js", address));
    const engine = globalThis.engine ??= startEngine(address);
    return new Promise((resolve) => {
      const start = performance.now();
      const late = setTimeout(() => resolve({error: "no answer"}), limit);
      engine.onerror = (event) => resolve({error: event.message});
      engine.onmessage = ({data}) => {
        if (data.progress === undefined && !data.worker) {
          clearTimeout(late);
          resolve({...data, data: null, ms: performance.now() - start});
        }
      };
      engine.postMessage({id: 1, ...fields});
    });
  }, request, url, most);

/* ---- a whole file of tests ---- */

/* @body  async ({browser, site, address(path)}) => ... */
export async function run(body, options = {}) {
  mkdirSync(shots, {recursive: true});
  let site, browser;
  try {
    site = await serve({folder, base: BASE});
    browser = await openBrowser(options);
    await body({browser, site, address: (path) => site.address + path});
  } catch (error) {
    console.log("Bail out! " + error.message);
    failed++;
  }
  await browser?.close();
  await site?.close();
  finish();
}
