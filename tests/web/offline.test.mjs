/* offline.test.mjs: a lab is graded in the tab, and once the compiler was
 * fetched also without a server, with the same points. */
import {serve} from "../../web/serve.mjs";
import {check, finish, folder, openBrowser, same, test} from "./harness.mjs";

const LIMIT_MS = 180000;
const site = await serve({folder, base: "/any/path/"});
const browser = await openBrowser();
const page = await browser.open(site.address +
  "labs/08_uneven_chunks/index.html");

async function grade() {
  await page.waitForSelector("#workbench button");
  await page.evaluate(() => [...document.querySelectorAll("#workbench button")]
    .find((button) => button.textContent.trim() === "Grade").click());
  await page.waitForSelector(".verdict", {timeout: LIMIT_MS});
  return page.$eval(".verdict", (verdict) => verdict.textContent);
}

/* Large files are kept some time after the page has them. */
const allKept = () => page.evaluate(async () => {
  const list = await (await fetch("../../service-worker.js")).text();
  const {files} = JSON.parse(list.match(/^const SITE = (\{[\s\S]*?\n\});/)[1]);
  const kept = new Set((await Promise.all((await caches.keys()).map(async (n) =>
    (await (await caches.open(n)).keys()).map(({url}) =>
      url.split("/").at(-1))))).flat());
  return Object.keys(files).filter((name) => name.startsWith("engine/") &&
    name.endsWith(".gz") && !kept.has(files[name]));
});

await test("lab 08 is graded in the tab, then without a server", async () => {
  await page.evaluate(() => new Promise((done) => {
    const container = navigator.serviceWorker;
    container.controller ? done() :
      container.addEventListener("controllerchange", () => done());
  }));
  const first = await grade();
  check(/^not passed: \d+ of 100 points$/.test(first), first);
  for (let ms = 0; ms < 20000 && (await allKept()).length; ms += 500) {
    await new Promise((done) => setTimeout(done, 500));
  }
  same(await allKept(), [], "not kept");
  await site.close();
  await page.reload({waitUntil: "load"});
  same(await grade(), first, "without a server");
});

await browser.close();
await site.close().catch(() => {});
finish();
