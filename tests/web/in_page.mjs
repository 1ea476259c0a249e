/* in_page.mjs: what the tests of the lab's page and of the playground do in a
 * page: press, read, take a text. The folder that the harness serves is said
 * here, so this is imported before it. */
import {readFileSync} from "node:fs";
import {makeMocked} from "./mocked.mjs";

makeMocked();
export const {check, onPage, run, same, shots, test, which} =
  await import("./harness.mjs");

export const ready = (page) => page.waitForFunction(() =>
  document.querySelector("#lab-state")?.textContent);
export const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent);
/* A button is pressed once it is there: a panel is filled after its tab is. */
export const press = async (page, words) => {
  const button = await page.waitForFunction((wanted) =>
    [...document.querySelectorAll("button")].find((b) =>
      b.textContent === wanted && !b.disabled), {timeout: 15000}, words)
    .catch(() => check(false, "no button " + words));
  await button.evaluate((b) => b.click());
};
export const says = (page, selector, words) => page.waitForFunction((s, w) =>
  [...document.querySelectorAll(s)].some((e) => e.textContent.includes(w)),
{timeout: 15000}, selector, words);
/* The lines that are drawn are enough for texts as short as these. */
export const editorText = (page) => page.evaluate(() =>
  [...document.querySelector(".editor").shadowRoot
    .querySelectorAll(".cm-line")].map((l) => l.textContent).join("\n"));
export const choose = (page, text, name) => page.evaluate((t, n) => {
  const picker = document.querySelector("input[type=file]");
  const files = new DataTransfer();
  files.items.add(new File([t], n));
  picker.files = files.files;
  picker.dispatchEvent(new Event("change"));
}, text, name);
export const take = async (page, text) => {
  await choose(page, text, "lab.cu");
  await says(page, ".note", "lab.cu is imported");
  await press(page, "Close");
};
export const startsWith = async (page, begin) => {
  await page.waitForFunction((b) => document.querySelector(".editor")
    ?.shadowRoot?.textContent.includes(b), {}, begin);
};

/* Each page in storage of its own, unless a test goes on with the same. */
export async function fresh(browser, address, options, body) {
  await onPage(browser, address, {...options, prepare: async (page) => {
    await page.evaluateOnNewDocument(() => {
      // A test begins with nothing kept. A document between two pages has
      // no storage, and says so by throwing.
      try {
        if (!sessionStorage.getItem("begun")) {
          sessionStorage.setItem("begun", "1");
          indexedDB.deleteDatabase("cuda-streams-lab");
        }
      } catch {
        return;
      }
    });
    await options.prepare?.(page);
  }}, body);
}

export async function axe(page, where) {
  await page.evaluate(readFileSync(
    "tests/web/node_modules/axe-core/axe.min.js", "utf8"));
  const found = await page.evaluate(() => axe.run(document, {iframes: false})
    .then(({violations}) => violations.filter((v) =>
      ["serious", "critical"].includes(v.impact)).map((v) =>
      `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 2).join(" ")}`)));
  same(found, [], where);
}
