/* service-worker.js: the site without a network, and one version at a time.
 * SITE, the list of all files with their sums, is put in front of this by
 * worker-list.mjs: {version, later: [names], files: {name: sum}}.
 *
 * What is kept lies in one cache by its sum, not by its name. So two versions
 * lie there beside each other, share what did not change, and no page is ever
 * given a file of another version than its own. A student's file is not here
 * but in IndexedDB, which no update touches. */
/* global SITE */
const ROOT = new URL("./", self.location).pathname;
const CACHE = `lab ${ROOT}`;
const AT_ONCE = 6;                      // requests at a time
const TYPES = {html: "text/html; charset=utf-8", js: "text/javascript",
  css: "text/css", svg: "image/svg+xml", png: "image/png",
  json: "application/json", wasm: "application/wasm",
  webmanifest: "application/manifest+json"};

const keyOf = (name) => `${ROOT}.kept/${SITE.files[name]}`;

const words = (status, text) => new Response(text + "\n", {status,
  headers: {"Content-Type": "text/plain; charset=utf-8"}});

async function sumOf(data) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return [...sum].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/* Keep a file, where it is of this version. Return: it, as a response. */
async function keep(cache, name, response) {
  const data = await response.arrayBuffer();
  if (!response.ok || await sumOf(data) !== SITE.files[name]) {
    throw new Error(`${name}: status ${response.status}, or another version`);
  }
  const type = TYPES[name.split(".").at(-1)] || "application/octet-stream";
  const kept = new Response(data, {headers: {"Content-Type": type,
    "Content-Length": data.byteLength}});
  await cache.put(keyOf(name), kept.clone());
  return kept;
}

const ask = (name) => fetch(ROOT + name.split("/").map(encodeURIComponent)
  .join("/"), {cache: "no-cache"});

/* All that is not there yet, except what is fetched when it is needed. */
async function install() {
  const cache = await caches.open(CACHE);
  const there = new Set((await cache.keys())
    .map(({url}) => new URL(url).pathname));
  const later = new Set(SITE.later);
  const missing = Object.keys(SITE.files).filter((name) =>
    !later.has(name) && !there.has(keyOf(name)));
  await Promise.all(Array.from({length: AT_ONCE}, async () => {
    for (let name; (name = missing.pop()) !== undefined;) {
      await keep(cache, name, await ask(name));
    }
  }));
}

/* What no file of this version is goes. */
async function activate() {
  const cache = await caches.open(CACHE);
  const used = new Set(Object.keys(SITE.files).map(keyOf));
  for (const request of await cache.keys()) {
    if (!used.has(new URL(request.url).pathname)) {
      await cache.delete(request);
    }
  }
  await self.clients.claim();
}

/* A large file goes to the page while it comes, so that the page can say how
 * far it is; it is kept when all of it was there and of this version. */
async function fetchLater(cache, name, event) {
  const now = await fetch(ROOT + "site/version.json", {cache: "no-store"});
  if ((await now.json()).version !== SITE.version) {
    return words(409, "a new version of this site is there: reload the page");
  }
  const response = await ask(name);
  event.waitUntil(keep(cache, name, response.clone()).catch(() => {}));
  return response;
}

async function give(name, event) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(keyOf(name));
  if (kept) {
    return kept;
  }
  try {
    return SITE.later.includes(name) ? await fetchLater(cache, name, event) :
      await keep(cache, name, await ask(name));
  } catch (error) {
    return words(503, `not kept yet, and no network: ${name} (${error})`);
  }
}

function nameOf(pathname) {
  const name = decodeURIComponent(pathname.slice(ROOT.length));
  return name === "" || name.endsWith("/") ? name + "index.html" : name;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => {
  if (event.data === "take over") {
    self.skipWaiting();
  }
});
self.addEventListener("fetch", (event) => {
  const {origin, pathname} = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== self.location.origin ||
      !pathname.startsWith(ROOT)) {
    return;
  }
  const name = nameOf(pathname);
  if (Object.hasOwn(SITE.files, name)) {
    event.respondWith(give(name, event));
  } else if (Object.hasOwn(SITE.files, name + "/index.html")) {
    event.respondWith(Response.redirect(pathname + "/"));
  }
});
