/* serve.test.mjs: the server says what is wrong, and gives nothing but the
 * site. Needs no browser, so it runs once. */
import {spawnSync} from "node:child_process";
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from
  "node:fs";
import {request} from "node:http";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {serve} from "../../web/serve.mjs";
import {check, finish, same, test, which} from "./harness.mjs";

/* fetch() would tidy up the path. */
const get = (address, path) => new Promise((done, fail) => {
  const {hostname, port} = new URL(address);
  request({hostname, port, path}, (response) => {
    let text = "";
    response.on("data", (data) => text += data);
    response.on("end", () => done({status: response.statusCode, text,
      headers: response.headers}));
  }).on("error", fail).end();
});

if (which === "chromium") {
  const tmp = mkdtempSync(join(tmpdir(), "web-"));
  const folder = join(tmp, "site");
  mkdirSync(join(folder, "labs"), {recursive: true});
  writeFileSync(join(tmp, "secret"), "secret");
  symlinkSync(join(tmp, "secret"), join(folder, "link"));
  for (const [name, text] of [["index.html", "start"], ["a.wasm", "w"],
    ["a.js", "j"], ["labs/index.html", "labs"], ["a.cu", "c"]]) {
    writeFileSync(join(folder, name), text);
  }
  const site = await serve({folder, base: "/sub/"});

  await test("pages, types, folders, below a path", async () => {
    for (const [path, status, type] of [["/sub/", 200, "text/html"],
      ["/sub/a.wasm", 200, "application/wasm"], ["/sub/labs", 302, "text/"],
      ["/sub/a.js?v=1", 200, "text/javascript"], ["/a.js", 404, "text/plain"],
      ["/sub/a.cu", 200, "text/plain"], ["/sub/none", 404, "text/plain"]]) {
      const {status: got, headers} = await get(site.address, path);
      same(got, status, path);
      check(headers["content-type"].startsWith(type),
        `${path} is ${headers["content-type"]}`);
    }
    same((await get(site.address, "/sub/labs/")).text, "labs", "a folder");
  });

  await test("nothing from outside of the folder", async () => {
    for (const path of ["/sub/../secret", "/sub/%2e%2e/secret", "/sub/link",
      "/sub/..%2fsecret", "/sub//../../secret", "/sub/%00", "/sub/%zz"]) {
      const {status, text} = await get(site.address, path);
      check(status === 404 && !text.includes("secret"), `${path}: ${text}`);
    }
  });

  await test("says that the port is taken, and that there is no site",
    async () => {
      const {port} = new URL(site.address);
      const run = (...args) => spawnSync(process.execPath,
        ["web/serve.mjs", ...args], {encoding: "utf8"});
      const taken = run("--port", port, folder);
      check(taken.status === 2 && taken.stderr.startsWith(
        `web-serve: port ${port} is taken`), taken.stderr);
      const none = run(join(tmp, "none"));
      check(none.status === 2 && none.stderr.includes("make web"),
        none.stderr);
    });
  await site.close();
  rmSync(tmp, {recursive: true});
}
finish();
