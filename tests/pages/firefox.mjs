/* firefox.mjs: Firefox without a window, driven over Marionette, the protocol
 * behind its WebDriver, so that nothing but Node and Firefox is needed. What it
 * offers is what browser.mjs does. */
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {connect, createServer} from "node:net";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const START_MS = 60000;
const PREFS = {
  "marionette.port": 0, "ui.prefersReducedMotion": 1,
  "browser.shell.checkDefaultBrowser": false, "app.update.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.enabled": false, "app.normandy.enabled": false,
  "browser.startup.page": 0, "browser.startup.homepage_override.mstone":
    "ignore", "extensions.update.enabled": false, "dom.w3c_touch_events.enabled":
    1, "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "", "browser.safebrowsing.enabled": false,
};
const KEYS = {Enter: "\uE007", Tab: "\uE004", Escape: "\uE00C",
  ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014",
  ArrowDown: "\uE015"};

/* A port that nobody has now. */
function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const {port} = server.address();
      server.close(() => done(port));
    });
  });
}

/* Firefox listens some time after it was started. */
async function dial(port) {
  for (const until = Date.now() + START_MS; Date.now() < until;) {
    const socket = await new Promise((done) => {
      const s = connect(port, "127.0.0.1", () => done(s));
      s.on("error", () => done(null));
    });
    if (socket) {
      return socket;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("Firefox does not listen");
}

/* "LENGTH:JSON", lengths in bytes. Return: send(command, parameters). */
function talk(socket) {
  const waiting = new Map();
  let rest = Buffer.alloc(0), next = 1;

  socket.on("data", (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const colon = rest.indexOf(58), size = Number(rest.subarray(0, colon));
      if (colon < 0 || rest.length < colon + 1 + size) {
        return;
      }
      const message = JSON.parse(rest.subarray(colon + 1, colon + 1 + size));
      rest = rest.subarray(colon + 1 + size);
      if (Array.isArray(message)) {
        waiting.get(message[1])(message);
      }
    }
  });
  return (command, parameters = {}) => {
    const id = next++;
    const text = Buffer.from(JSON.stringify([0, id, command, parameters]));
    socket.write(text.length + ":");
    socket.write(text);
    return new Promise((done, fail) => waiting.set(id, (message) => {
      waiting.delete(id);
      if (message[2]) {
        fail(new Error(`${command}: ${message[2].message}`));
      } else {
        done(message[3]);
      }
    }));
  };
}

export async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "pages-"));
  const port = await freePort();
  writeFileSync(join(profile, "user.js"), Object.entries({...PREFS,
    "marionette.port": port}).map(([name, value]) =>
    `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join(""));
  const child = spawn(process.env.FIREFOX || "firefox-esr", ["--headless",
    "--marionette", "--remote-allow-system-access", "--no-remote",
    "--profile", profile], {stdio: "ignore", env: {...process.env,
    HOME: profile}});
  const send = talk(await dial(port));
  await send("WebDriver:NewSession", {});
  await send("WebDriver:SetTimeouts", {script: START_MS});

  async function close() {
    await send("Marionette:Quit", {flags: ["eForceQuit"]}).catch(() => {});
    await new Promise((done) => {
      child.exitCode === null ? child.once("exit", done) : done();
    });
    rmSync(profile, {recursive: true, force: true, maxRetries: 5});
  }
  return {name: "Firefox", close, openPage: (options) =>
    openPage(send, options)};
}

/* With Firefox's own rights: its settings, and what its console holds. */
async function privileged(send, script, ...args) {
  await send("Marionette:SetContext", {value: "chrome"});
  const {value} = await send("WebDriver:ExecuteScript", {script, args});
  await send("Marionette:SetContext", {value: "content"});
  return value;
}

/* Options: dark, print, width, height; scripts cannot be switched off. */
async function openPage(send, options = {}) {
  const page = {errors: []};

  await privileged(send, `
    const [dark, width, height] = arguments;
    Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override",
      dark ? 0 : 1);
    const view = gBrowser.selectedBrowser;
    for (const side of ["min", "max"]) {
      view.style.setProperty(side + "-width", width + "px");
      view.style.setProperty(side + "-height", height + "px");
    }
    Services.console.reset();`, Boolean(options.dark), options.width || 1200,
  options.height || 900);

  page.media = (name) => privileged(send, `
    gBrowser.selectedBrowser.browsingContext.mediumOverride = arguments[0];`,
  name);
  page.open = async (file) => {
    await send("WebDriver:Navigate", {url: pathToFileURL(file).href});
    await page.media(options.print ? "print" : "");
    await page.frame();
  };

  /* The page's own scope is asked by a script element: Firefox's scope for
   * tests has none of its constants, and the page forbids eval(). */
  page.value = async (expression, inside = false) => {
    const {value} = await send("WebDriver:ExecuteAsyncScript", {args:
      [expression, inside], script: `
      const [expression, inside, done] = arguments;
      const scope = inside ? document.querySelector("iframe").contentWindow :
        window;
      scope.addEventListener("test-answer", (event) => done(event.detail),
        {once: true});
      const script = scope.document.createElement("script");
      script.textContent = "(async () => (" + expression + "\\n))().then(" +
        "(v) => JSON.stringify({v}), (e) => JSON.stringify({e: String(e)}))" +
        ".then((detail) => dispatchEvent(new CustomEvent('test-answer', " +
        "{detail})))";
      scope.document.head.append(script);
      script.remove();`});
    const answer = JSON.parse(value);
    if (answer.e) {
      throw new Error(answer.e);
    }
    return answer.v;
  };
  page.inside = async () => true;
  page.frame = () => page.value(
    "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"
  );

  const act = async (...actions) => {
    await send("WebDriver:PerformActions", {actions});
    await page.frame();
  };
  const to = (x, y) => ({type: "pointerMove", duration: 0, x: Math.round(x),
    y: Math.round(y)});
  const mouse = (...actions) => act({type: "pointer", id: "mouse",
    parameters: {pointerType: "mouse"}, actions});
  page.mouse = (type, x, y, more = {}) => type === "mouseWheel" ?
    act({type: "wheel", id: "wheel", actions: [{type: "scroll", duration: 0,
      x: Math.round(x), y: Math.round(y), deltaX: more.deltaX,
      deltaY: more.deltaY}]}) :
    mouse(to(x, y), ...(type === "mouseMoved" ? [] :
      [{type: type === "mousePressed" ? "pointerDown" : "pointerUp",
        button: 0}]));
  page.hover = async (x, y) => {
    await mouse(to(x - 3, y - 1));
    await mouse(to(x, y));
  };
  page.click = async (x, y, {clickCount = 1} = {}) => {
    await page.hover(x, y);
    for (let i = 0; i < clickCount; i++) {
      await mouse({type: "pointerDown", button: 0},
        {type: "pointerUp", button: 0});
    }
  };
  page.key = (key) => act({type: "key", id: "keys", actions:
    [{type: "keyDown", value: KEYS[key] || key},
      {type: "keyUp", value: KEYS[key] || key}]});
  page.touch = (type, y, ...at) => act(...at.map((x, id) => ({
    type: "pointer", id: "finger" + id, parameters: {pointerType: "touch"},
    actions: type === "touchEnd" ? [{type: "pointerUp", button: 0}] :
      [to(x, y), ...(type === "touchStart" ? [{type: "pointerDown",
        button: 0}] : [])]})));
  page.pdf = async () => Buffer.from((await send("WebDriver:Print",
    {background: true})).value, "base64");
  page.shot = async (file) => {
    const {value} = await send("WebDriver:TakeScreenshot", {full: true});
    writeFileSync(file, Buffer.from(value, "base64"));
  };
  page.close = async () => {
    page.errors.push(...await privileged(send, `
      return Services.console.getMessageArray().filter((m) =>
        m instanceof Ci.nsIScriptError && m.sourceName.startsWith("file:") &&
        !(m.flags & Ci.nsIScriptError.warningFlag)).map((m) =>
        m.errorMessage);`));
    await send("WebDriver:ReleaseActions");
    await send("WebDriver:Navigate", {url: "about:blank"});
  };
  return page;
}
