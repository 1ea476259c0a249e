/* worker.test.mjs: what the service worker promises. After one visit the site
 * is there without a server; a new version is offered, is never mixed with the
 * old one, and loses nothing that the student has. */
import {appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync,
  writeFileSync} from "node:fs";
import {createHash} from "node:crypto";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {serve} from "../../web/serve.mjs";
import {writeWorker} from "../../web/site/worker-list.mjs";
import {check, folder, openBrowser, finish, same, test} from "./harness.mjs";

const tmp = mkdtempSync(join(tmpdir(), "web-"));
const copy = join(tmp, "site");
cpSync(folder, copy, {recursive: true});
// Such as the compiler.
const LATER = "engine/later.bin", LATER_TEXT = "large".repeat(2e5) + "!";
mkdirSync(join(copy, "engine"), {recursive: true});
writeFileSync(join(copy, LATER), LATER_TEXT);
const OTHER = "engine/other.bin";       // nobody asks for it at first
writeFileSync(join(copy, OTHER), LATER_TEXT + " too");
writeWorker(copy, "web/site/service-worker.js");
let site = await serve({folder: copy, base: "/sub/"});
const {port} = new URL(site.address);
const restart = async () => {
  site = await serve({folder: copy, base: "/sub/", port: Number(port)});
};
const browser = await openBrowser();
const page = await browser.open(site.address + "labs/index.html");
const title = () => page.$eval("h1", (h1) => h1.textContent);
const go = (path) => page.goto(site.address + path, {waitUntil: "load"});

/* The worker is in charge when it has fetched all that it wants to keep. */
const inCharge = () => page.evaluate(() => new Promise((done) => {
  const container = navigator.serviceWorker;
  container.controller ? done() :
    container.addEventListener("controllerchange", () => done());
}));

/* A record of the student's, as the lab page keeps it. */
const remember = (text) => page.evaluate((value) => new Promise((done, fail) => {
  const request = indexedDB.open("test", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("files");
  request.onerror = () => fail(request.error);
  request.onsuccess = () => {
    const change = request.result.transaction("files", "readwrite");
    change.objectStore("files").put(value, "08");
    change.oncomplete = () => done(request.result.close());
  };
}), text);
const recall = () => page.evaluate(() => new Promise((done, fail) => {
  const request = indexedDB.open("test", 1);
  request.onerror = () => fail(request.error);
  request.onsuccess = () => {
    const read = request.result.transaction("files").objectStore("files")
      .get("08");
    read.onsuccess = () => done(read.result);
  };
}));

await test("after one visit all pages are there without a server", async () => {
  await inCharge();
  await remember("my work");
  await site.close();
  await page.reload({waitUntil: "load"});
  same(await title(), "The labs", "the page itself");
  await go("slides/08_uneven_chunks.html");
  same(await title(), "08: Uneven chunks", "a deck that was never opened");
  same(await page.$$eval("#slides img", async (all) => Promise.all(all
    .map(async ({src}) => (await fetch(src)).status)))
    .then((got) => [...new Set(got)]), [200], "its pictures");
  await go("");
  check((await title()).startsWith("Learn CUDA"), "the start page");
  await go("labs");
  same(await title(), "The labs", "a folder");
  await go("search.html?q=pinned");
  await page.waitForSelector("#hits a");
  await restart();
});

/* "STATUS LENGTH BEGINNING" of what a page gets for the large file. */
const later = (name = LATER) => page.evaluate(async (path) => {
  const response = await fetch(new URL(path, document.body.dataset.root ===
    "./" ? location.href : new URL(document.body.dataset.root, location.href)));
  const text = await response.text();
  return `${response.status} ${text.length} ${text.slice(0, 13)}`;
}, name);
const keptLater = () => page.evaluate(async (sum) => (await Promise.all(
  (await caches.keys()).map(async (name) => (await (await caches.open(name))
    .keys()).some(({url}) => url.endsWith(sum))))).some(Boolean),
createHash("sha256").update(LATER_TEXT).digest("hex"));

await test("a large file is fetched when it is needed, and kept from then on",
  async () => {
    await go("labs/index.html");
    same(await keptLater(), false, "kept before");
    same(await later(), "200 1000001 largelargelar", "with a server");
    for (let ms = 0; ms < 10000 && !await keptLater(); ms += 100) {
      await new Promise((done) => setTimeout(done, 100));
    }
    await site.close();
    same(await later(), "200 1000001 largelargelar", "without one");
    await restart();
  });

await test("a file that changed on the way is not taken", async () => {
  const kept = readFileSync(join(copy, "docs/glossary.html"));
  writeFileSync(join(copy, "docs/glossary.html"), "<h1>another</h1>");
  await go("docs/glossary.html");
  same(await title(), "Glossary", "of its own version");
  writeFileSync(join(copy, "docs/glossary.html"), kept);
});

await test("a new version is offered, and not mixed with the old one",
  async () => {
    for (const name of ["docs/glossary.html", "labs/index.html"]) {
      const file = join(copy, name);
      writeFileSync(file, readFileSync(file, "utf8")
        .replace("<h1", "<h1 data-new"));
    }
    writeWorker(copy, "web/site/service-worker.js");
    const isNew = () => page.$("h1[data-new]").then(Boolean);
    await go("labs/index.html");
    await page.waitForSelector("#news button", {visible: true});
    await go("docs/glossary.html");
    check(!await isNew(), "the old version before it was asked for");
    check(/^409 \d+ a new version$/.test(await later(OTHER)),
      "a large file of the new version went to a page of the old one");
    await page.waitForSelector("#news button", {visible: true});
    await page.evaluate(() => addEventListener("lab-before-reload", (event) =>
      event.detail.push(new Promise((done) => setTimeout(() => {
        sessionStorage.setItem("saved", "yes");
        done();
      }, 50)))));
    await Promise.all([page.waitForNavigation({waitUntil: "load"}),
      page.click("#news button")]);
    check(await isNew(), "the new version after Reload");
    same(await page.evaluate(() => sessionStorage.getItem("saved")), "yes",
      "who has to save was waited for");
    await go("labs/index.html");
    check(await isNew(), "other pages too");
    same(await page.$eval("#news", (news) => news.hidden), true, "no news");
  });

await test("an update keeps what the student has", async () =>
  same(await recall(), "my work", "the file"));

await test("what is of no version any more is not kept", async () => {
  const {files} = JSON.parse(readFileSync(join(copy, "service-worker.js"),
    "utf8").match(/^const SITE = (\{[\s\S]*?\n\});/)[1]);
  const wanted = new Set(Object.values(files));
  const kept = await page.evaluate(async () => (await Promise.all(
    (await caches.keys()).map(async (name) =>
      (await (await caches.open(name)).keys()).map(({url}) => url)))).flat());
  same(kept.filter((url) => !wanted.has(url.split("/").at(-1))), [], "kept");
  check(kept.length > 100, `${kept.length} files are kept`);
});

await test("an update that is broken half-way changes nothing", async () => {
  appendFileSync(join(copy, "docs/glossary.html"), "<!-- newer -->");
  writeWorker(copy, "web/site/service-worker.js");
  appendFileSync(join(copy, "docs/glossary.html"), "<!-- newer still -->");
  await go("docs/glossary.html");
  await page.evaluate(() => navigator.serviceWorker.getRegistration()
    .then((r) => r.update()).catch(() => {}));
  await new Promise((done) => setTimeout(done, 1500));
  same(await page.evaluate(async () => Boolean((await navigator.serviceWorker
    .getRegistration()).waiting)), false, "a worker waits");
  check(!(await page.content()).includes("newer"), "the old page");
});

await test("it can be installed: manifest and icons", async () => {
  const link = await page.$eval("link[rel=manifest]", (l) => l.href);
  const manifest = await (await fetch(link)).json();
  for (const icon of manifest.icons) {
    const response = await fetch(new URL(icon.src, link));
    same(response.headers.get("content-type"), icon.type, icon.src);
  }
  check(new URL(manifest.start_url, link).href.startsWith(site.address), "start");
});

await browser.close();
await site.close();
rmSync(tmp, {recursive: true, force: true});
finish();
