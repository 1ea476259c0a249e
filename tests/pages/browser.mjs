/* browser.mjs: Chromium without a window, driven over the pipe of its DevTools
 * protocol, so that nothing but Node and Chromium is needed. */
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
  "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--disable-extensions", "--mute-audio",
  "--font-render-hinting=none", "--remote-debugging-pipe"];
const ANSWER_MS = 60000;

export async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "pages-"));
  const child = spawn(process.env.CHROMIUM || "chromium",
    [...FLAGS, `--user-data-dir=${profile}`],
    {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
  const waiting = new Map(), listeners = new Set();
  let next = 1, rest = "";

  child.stdio[4].setEncoding("utf8");
  child.stdio[4].on("data", (text) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part), wait = waiting.get(message.id);
      if (wait) {
        waiting.delete(message.id);
        wait(message);
      } else {
        listeners.forEach((f) => f(message));
      }
    }
  });

  function send(method, params = {}, sessionId = undefined) {
    const id = next++;
    child.stdio[3].write(JSON.stringify({id, method, params, sessionId}) +
      "\0");
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${method}: no answer`)),
        ANSWER_MS);
      waiting.set(id, (message) => {
        clearTimeout(timer);
        if (message.error) {
          fail(new Error(`${method}: ${message.error.message}`));
        } else {
          done(message.result);
        }
      });
    });
  }

  async function close() {
    await send("Browser.close").catch(() => {});
    await new Promise((done) => {
      child.exitCode === null ? child.once("exit", done) : done();
    });
    rmSync(profile, {recursive: true, force: true, maxRetries: 5});
  }
  return {name: "Chromium", close, openPage: (options) =>
    openPage({send, listeners}, options)};
}

/* Options: scripts (false: off), dark, print, width, height. */
async function openPage({send, listeners}, options = {}) {
  const {targetId} = await send("Target.createTarget", {url: "about:blank"});
  const {sessionId} = await send("Target.attachToTarget",
    {targetId, flatten: true});
  const page = {errors: [], contexts: []};
  let loaded = null;

  page.send = (method, params) => send(method, params, sessionId);
  const listen = ({sessionId: from, method, params: p}) => {
    if (from !== sessionId) {
      return;
    }
    if (method === "Page.loadEventFired" && loaded) {
      loaded();
    } else if (method === "Runtime.exceptionThrown") {
      page.errors.push(p.exceptionDetails.exception?.description ||
        p.exceptionDetails.text);
    } else if (method === "Runtime.consoleAPICalled" &&
        ["error", "warning", "assert"].includes(p.type)) {
      page.errors.push(p.args.map((a) => a.value).join(" "));
    } else if (method === "Log.entryAdded" && p.entry.level === "error") {
      page.errors.push(p.entry.text);
    } else if (method === "Runtime.executionContextCreated") {
      page.contexts.push(p.context);
    }
  };
  listeners.add(listen);
  for (const domain of ["Page", "Runtime", "Log"]) {
    await page.send(domain + ".enable");
  }
  await page.send("Emulation.setDeviceMetricsOverride", {
    width: options.width || 1200, height: options.height || 900,
    deviceScaleFactor: 1, mobile: false});
  await page.send("Emulation.setEmulatedMedia", {
    media: options.print ? "print" : "screen", features: [{
      name: "prefers-color-scheme", value: options.dark ? "dark" : "light"}]});
  await page.send("Emulation.setScriptExecutionDisabled",
    {value: options.scripts === false});

  page.open = async (file) => {
    const done = new Promise((resolve) => {
      loaded = resolve;
    });
    await page.send("Page.navigate", {url: pathToFileURL(file).href});
    await done;
    if (options.scripts !== false) {
      await page.frame();
    }
  };

  /* The value of an expression in the page, or in a frame of it. */
  page.value = async (expression, contextId = undefined) => {
    const {result, exceptionDetails: wrong} = await page.send(
      "Runtime.evaluate", {expression, contextId, awaitPromise: true,
        returnByValue: true});
    if (wrong) {
      throw new Error(wrong.exception?.description || wrong.text);
    }
    return result.value;
  };
  /* The frame's scope, for page.value(). */
  page.inside = async () => {
    const {childFrames} = (await page.send("Page.getFrameTree")).frameTree;
    return page.contexts.filter((c) =>
      c.auxData?.frameId === childFrames[0].frame.id).at(-1).id;
  };
  page.frame = () => page.value(
    "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"
  );
  page.mouse = async (type, x, y, more = {}) => {
    await page.send("Input.dispatchMouseEvent", {type, x, y, ...more});
    await page.frame();
  };
  /* Two moves: the first may only enter the element. */
  page.hover = async (x, y) => {
    await page.mouse("mouseMoved", x - 3, y - 1);
    await page.mouse("mouseMoved", x, y);
  };
  page.click = async (x, y, more = {}) => {
    const button = {button: "left", clickCount: 1, ...more};
    await page.hover(x, y);
    await page.mouse("mousePressed", x, y, {...button, buttons: 1});
    await page.mouse("mouseReleased", x, y, button);
  };
  page.key = async (key) => {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const code = {Enter: 13, Tab: 9, Escape: 27, ArrowLeft: 37, ArrowUp: 38,
      ArrowRight: 39, ArrowDown: 40, " ": 32}[key];
    const event = {key, text, windowsVirtualKeyCode: code, code:
      code === 32 ? "Space" : code ? key : undefined};
    await page.send("Input.dispatchKeyEvent", {type: "keyDown", ...event});
    await page.send("Input.dispatchKeyEvent", {type: "keyUp", key,
      windowsVirtualKeyCode: code});
    await page.frame();
  };
  page.touch = async (type, y, ...at) => {
    await page.send("Input.dispatchTouchEvent", {type, touchPoints: type ===
      "touchEnd" ? [] : at.map((x, id) => ({x, y, id}))});
    await page.frame();
  };
  page.media = (media) => page.send("Emulation.setEmulatedMedia", {media});
  page.pdf = async () => Buffer.from((await page.send("Page.printToPDF",
    {printBackground: true})).data, "base64");
  page.shot = async (file, whole = true) => {
    const {data} = await page.send("Page.captureScreenshot",
      {captureBeyondViewport: whole});
    writeFileSync(file, Buffer.from(data, "base64"));
  };
  page.close = async () => {
    listeners.delete(listen);
    await send("Target.closeTarget", {targetId});
  };
  return page;
}
