/* faults.test.mjs: the harness itself. A page with each of the faults that it
 * is to find must not pass, in either browser. */
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {serve} from "../../web/serve.mjs";
import {POLICY} from "../../web/site/layout.mjs";
import {check, finish, onPage, openBrowser, same, test} from "./harness.mjs";

const FAULTS = {
  "a script in the page": ["<script>document.title = 'ran'</script>",
    /policy: script-src/],
  "a handler in the page": ['<img src="data:," alt="" onerror="alert(1)">',
    /policy: script-src/],
  "a style in the page": ['<p style="color: red">words</p>',
    /policy: style-src/],
  "a picture from elsewhere": ['<img src="https://other.invalid/x.png" alt="">',
    /policy: img-src forbids https:\/\/other\.invalid|a request elsewhere/],
  "a script that is not there": ['<script src="none.js"></script>', /404/],
  "an error in a script": ['<script src="throws.js"></script>', /an error/],
  "a promise left alone": ['<script src="rejects.js"></script>', /rejected/],
  "words on the console": ['<script src="says.js"></script>', /some words/],
};
const SCRIPTS = {throws: 'throw new Error("an error")',
  rejects: 'Promise.reject(new Error("left alone"))',
  says: 'console.error("some words")'};

const folder = join(mkdtempSync(join(tmpdir(), "web-")), "site");
mkdirSync(folder);
const page = (name, body) => writeFileSync(join(folder, name),
  `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><link rel="icon" ` +
  `href="data:,"><meta http-equiv="Content-Security-Policy" content="${POLICY
  }"><title>test</title><h1>test</h1>${body}`);
page("index.html", "");
Object.keys(FAULTS).forEach((name, i) => page(`${i}.html`, FAULTS[name][0]));
Object.entries(SCRIPTS).forEach(([name, text]) =>
  writeFileSync(join(folder, name + ".js"), text));
const site = await serve({folder, base: "/sub/"});
const browser = await openBrowser();

await test("a page without faults passes", () =>
  onPage(browser, site.address, {}, async (opened) =>
    same(await opened.title(), "test", "title")));

for (const [i, [name, [, words]]] of Object.entries(FAULTS).entries()) {
  await test(`found: ${name}`, async () => {
    const said = await onPage(browser, `${site.address}${i}.html`, {},
      async (opened) => {
        for (let ms = 0; ms < 3000 && !opened.problems.length; ms += 50) {
          await new Promise((done) => setTimeout(done, 50));
        }
        same(await opened.title(), "test", "title");
      }).then(() => "nothing", (error) => error.message);
    check(words.test(said), said);
  });
}

await browser.close();
await site.close();
rmSync(join(folder, ".."), {recursive: true});
finish();
