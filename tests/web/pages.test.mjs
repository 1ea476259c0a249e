/* pages.test.mjs: every page of the site opens without a fault; links lead
 * somewhere; nothing serious stands in the way of those who see or hear it
 * otherwise; it is small and there at once. */
import {readFileSync, readdirSync} from "node:fs";
import {dirname, join} from "node:path";
import {check, folder, onPage, openBrowser, run, same, shots, test, which}
  from "./harness.mjs";

const files = readdirSync(folder, {recursive: true}).sort();
const pages = files.filter((name) => name.endsWith(".html"));
const textOf = (name) => readFileSync(join(folder, name), "utf8");

/* ---- what needs no browser ---- */

const valuesOf = (html, attribute) => [...html.matchAll(
  new RegExp(`<[^>]*\\s${attribute}="([^"]*)"`, "g"))].map((m) => m[1]
  .replace(/&amp;/g, "&"));

/* "PAGE: LINK" for each that leads nowhere, or out of the site. */
function lostLinks() {
  const ids = new Map(), lost = [], there = new Set(files);
  pages.forEach((name) => ids.set(name, new Set(valuesOf(textOf(name), "id"))));
  for (const name of pages) {
    const html = textOf(name);
    for (const link of [...valuesOf(html, "href"), ...valuesOf(html, "src"),
      ...valuesOf(html, "action")]) {
      if (/^(https?|mailto|data):/.test(link)) {
        continue;
      }
      const [path, anchor] = link.split(/[#?]/);
      const target = path ? join(dirname(name), decodeURI(path)) : name;
      if (link.startsWith("/") || !there.has(target) || anchor &&
          link.includes("#") && ids.has(target) &&
          !ids.get(target).has(decodeURIComponent(anchor))) {
        lost.push(`${name}: ${link}`);
      }
    }
  }
  return lost;
}

async function withoutBrowser() {
  await test("links and anchors lead somewhere, none to an absolute path",
    async () => same(lostLinks(), [], "lost"));

  await test("each page has the policy, and nothing that it forbids",
    async () => {
      const wrong = pages.filter((name) => {
        const html = textOf(name);
        return !/<meta http-equiv="Content-Security-Policy" content="default-src 'none'/
          .test(html) || /<style|<[^>]* (style|on[a-z]+)="/.test(html) ||
          /<script(?![^>]* src=)/.test(html);
      });
      same(wrong, [], "pages");
    });

  await test("the site has the labs, the decks and the documents", async () => {
    const wanted = [...readdirSync("labs").filter((n) => /^\d\d_/.test(n))
      .map((n) => `labs/${n}/index.html`), ...readdirSync("slides")
      .filter((n) => /^\d\d_.*md$/.test(n))
      .map((n) => `slides/${n.replace(/md$/, "html")}`), ...readdirSync("docs")
      .filter((n) => n.endsWith(".md"))
      .map((n) => `docs/${n.replace(/md$/, "html")}`)];
    same(wanted.filter((name) => !pages.includes(name)), [], "missing");
    check(wanted.length > 40, `only ${wanted.length} pages are asked for`);
  });

  await test("solutions and hints are no pages", async () => same(
    pages.filter((name) => /^solutions|(hints|quiz)\.html$/.test(name)), [],
    "pages"));
}

/* ---- in a browser ---- */

const axe = readFileSync(join(import.meta.dirname,
  "node_modules/axe-core/axe.min.js"), "utf8");
const LOOKED_AT = ["index.html", "labs/index.html",
  "labs/08_uneven_chunks/index.html", "slides/decks.html",
  "slides/08_uneven_chunks.html", "docs/glossary.html",
  "docs/cheat-sheet.html", "documents.html", "search.html?q=stream",
  "docs/measured/vgpu-cost.txt.html",
  ...pages.filter((name) => name === "play/index.html")];

/* Each page once, at one width after another. Colours are the same at each. */
async function looksWell(browser, address, dark) {
  const widths = dark ? [1440] : [1440, 768, 390];
  for (const path of LOOKED_AT) {
    await test(`axe finds nothing serious in ${path}, ${
      dark ? "dark" : "light"}`, () =>
      onPage(browser, address(path), {}, async (page) => {
        // The driver's own world: the page's policy does not hold there.
        await page.evaluate(axe);
        for (const width of widths) {
          await page.setViewport({width, height: 900});
          await drawn(page);
          await looked(page, `${path.replace(/\W+/g, "_")}-${width}-${
            dark ? "dark" : "light"}-${which}`);
        }
      }));
  }
}

/* By then the page knows how wide it is. */
const drawn = (page) => page.evaluate(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(done))));

async function looked(page, name) {
  const {found, passes, wide} = await page.evaluate(async () => {
    const result = await axe.run();
    return {passes: result.passes.length, found: result.violations
      .filter((v) => ["serious", "critical"].includes(v.impact))
      .map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`),
    wide: document.documentElement.scrollWidth - innerWidth};
  });
  same(found, [], name);
  check(passes > 10, "axe has looked at nothing");
  check(wide <= 0, `${name} sticks out by ${wide} pixels`);
  await page.screenshot({path: join(shots, `${name}.png`)});
}

/* What is fetched behind a page, to have it offline, is another sum; and Firefox
 * calls it an error that a page was left meanwhile. worker.test.mjs is of that. */
const ALONE = {prepare: (page) => page.evaluateOnNewDocument(() =>
  delete Navigator.prototype.serviceWorker)};

const VISITS = 3;

/* How long a visit took until all was there, of which nothing was kept, but for
 * the icon, which Firefox keeps for its own list of pages. */
async function visited(page) {
  const [ms, kept] = await page.evaluate(() => [
    performance.getEntriesByType("navigation")[0].loadEventEnd,
    performance.getEntriesByType("resource")
      .filter((entry) => !entry.transferSize && !entry.name.includes("/icon"))
      .map((entry) => entry.name)]);
  same(kept, [], "kept");
  return ms;
}

await run(async ({browser, address}) => {
  if (which === "chromium") {
    await withoutBrowser();
  }

  // First of all: afterwards the browser keeps what it fetched. A busy machine
  // only adds, so the least of a few times counts, all with nothing kept.
  await test("a first visit of a lab's page: 2 MB at most, there in 2 s",
    async () => {
      const lab = address("labs/08_uneven_chunks/index.html");
      await onPage(browser, lab, ALONE, async (page) => {
        await new Promise((done) => setTimeout(done, 2000));
        const bytes = page.sent.reduce((sum, sent) => sum + sent.bytes, 0);
        const count = page.sent.length, times = [await visited(page)];
        for (let i = 0; i < VISITS - 1; i++) {
          await page.reload({waitUntil: "load"});
          times.push(await visited(page));
        }
        console.log(`# ${(bytes / 1e6).toFixed(2)} MB, not packed, in ${
          count} files; ${times.map(Math.round).join(", ")} ms`);
        check(bytes > 20e3 && bytes <= 2e6, `${bytes} bytes`);
        const ms = Math.min(...times);
        check(ms > 0 && ms < 2000, `${ms} ms`);
      });
    });

  // What is in page/ is no page but a frame's inside.
  const whole = pages.filter((name) => !name.startsWith("page/"));
  await test(`all ${whole.length} pages open without a fault`, async () => {
    await onPage(browser, address(whole[0]), ALONE, async (page) => {
      for (const name of whole.slice(1)) {
        await page.goto(address(name), {waitUntil: "load"});
        check(await page.$eval("h1, #playground", () => true), name);
      }
    });
  });

  await test("search finds a heading, and its words again", async () => {
    await onPage(browser, address("search.html?q=legacy+default+stream"), {},
      async (page) => {
        await page.waitForSelector("#hits a");
        const hits = await page.$$eval("#hits a", (links) =>
          links.map((a) => a.getAttribute("href")));
        check(hits.includes("labs/05_default_stream/index.html" +
          "#the-legacy-default-stream"), hits.join(" "));
        await page.$eval("#words", (input) => input.value = "<b>nothing</b>");
        await Promise.all([page.waitForNavigation(), page.click("#ask button")]);
        await page.waitForFunction(() => document.getElementById("found")
          .textContent === "Nothing found.");
        same(await page.$eval("#words", (input) => input.value),
          "<b>nothing</b>", "what was asked");
      });
  });

  await test("a deck: one slide at a time, by keys, and back", async () => {
    await onPage(browser, address("slides/08_uneven_chunks.html"), {},
      async (page) => {
        const shown = () => page.$$eval(".slide", (all) => all.filter((s) =>
          s.checkVisibility()).map((s) => s.id));
        await page.click("#present");
        same(await shown(), ["slide-1"], "at first");
        await page.keyboard.press("ArrowRight");
        same(await shown(), ["slide-2"], "after a key");
        await page.keyboard.press("ArrowLeft");
        same(await shown(), ["slide-1"], "back");
        await page.keyboard.press("Escape");
        check((await shown()).length > 10, "Escape ends it");
      });
  });

  await test("a deck: an answer is shut at first, and comes step by step",
    async () => {
      await onPage(browser, address("slides/08_uneven_chunks.html"), {},
        async (page) => {
          const answer = () => page.$eval("details.answer", (box) => [
            box.querySelector("svg").checkVisibility(),
            [...box.querySelectorAll("[data-marpit-fragment]")].filter((img) =>
              getComputedStyle(img).visibility === "visible").length]);
          same((await answer())[0], false, "is it seen at first");
          await page.$eval("details.answer", (box) =>
            box.closest(".slide").previousElementSibling.scrollIntoView());
          await page.click("#present");
          await page.keyboard.press("ArrowRight");
          same(await answer(), [true, 0], "when its slide comes");
          await page.keyboard.press("ArrowRight");
          await page.keyboard.press("ArrowRight");
          same(await answer(), [true, 2], "after two keys");
          await page.keyboard.press("Escape");
          same((await answer())[0], false, "afterwards");
        });
    });

  await looksWell(browser, address, false);
  const dark = await openBrowser({dark: true});
  await looksWell(dark, address, true);
  await dark.close();
});
