/* serve.mjs: a server of static files for the site, for who builds it and for
 * the tests; any other one does as well. Nothing is packed or rewritten.
 *
 *     node web/serve.mjs [--port 8000] [--host 127.0.0.1] [--base /any/path/]
 *         [FOLDER]                            (build/web)
 */
import {createReadStream, existsSync, realpathSync, statSync} from "node:fs";
import {createServer} from "node:http";
import {extname, join, sep} from "node:path";
import {parseArgs} from "node:util";
import {fileURLToPath} from "node:url";

/* A module or a wasm file of another type is refused by browsers. */
const TYPES = {".html": "text/html; charset=utf-8", ".svg": "image/svg+xml",
  ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8", ".json": "application/json",
  ".webmanifest": "application/manifest+json", ".png": "image/png",
  ".wasm": "application/wasm", ".tar": "application/x-tar",
  ".pdf": "application/pdf", ".gz": "application/gzip"};
const TEXT = "text/plain; charset=utf-8";
const BYTES = "application/octet-stream";

/* The file that an address means, or null. */
function fileOf(folder, path) {
  let name;
  try {
    name = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (name.includes("\0")) {
    return null;
  }
  const file = join(folder, name, name.endsWith("/") ? "index.html" : "");
  // A link may lead out of the folder as well as "..": ask where it ends.
  if (!existsSync(file) || !realpathSync(file).startsWith(folder + sep)) {
    return null;
  }
  return file;
}

function answer(folder, base, request, response) {
  const {pathname} = new URL(request.url, "http://localhost");
  const say = (status, text, headers = {}) => {
    response.writeHead(status, {"Content-Type": TEXT, ...headers});
    response.end(text + "\n");
  };
  if (!["GET", "HEAD"].includes(request.method)) {
    return say(405, "only GET");
  }
  if (!pathname.startsWith(base)) {
    return say(404, `the site is at ${base}`);
  }
  const file = fileOf(folder, pathname.slice(base.length - 1));
  const found = file && statSync(file);
  if (found?.isDirectory()) {
    return say(302, "a folder", {Location: pathname + "/"});
  }
  if (!found) {
    return say(404, "not found");
  }
  const tag = `"${found.size.toString(36)}-${found.mtimeMs.toString(36)}"`;
  const headers = {"ETag": tag, "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff", "Content-Length": found.size,
    "Content-Type": TYPES[extname(file)] ||
      (/\.\w+$/.test(file) ? TEXT : BYTES)};
  if (request.headers["if-none-match"] === tag) {
    response.writeHead(304, {"ETag": tag, "Cache-Control": "no-cache"});
    return response.end();
  }
  response.writeHead(200, headers);
  if (request.method === "HEAD") {
    return response.end();
  }
  createReadStream(file).pipe(response);
}

/* @base  where the site is, with "/" on both sides
 * @port  0 for one that is free
 * Return: {address, close()}. Throws where there is no site, or no port. */
export async function serve({folder = "build/web", port = 0,
  host = "127.0.0.1", base = "/"} = {}) {
  if (!existsSync(join(folder, "index.html"))) {
    throw new Error(`${folder} holds no site yet: make web`);
  }
  const root = realpathSync(folder);
  const server = createServer((request, response) =>
    answer(root, base, request, response));
  await new Promise((done, fail) => {
    server.once("error", (error) => fail(error.code === "EADDRINUSE" ?
      new Error(`port ${port} is taken; another one: ` +
        `make web-serve PORT=${port + 1}`) : error));
    server.listen(port, host, done);
  });
  return {address: `http://${host}:${server.address().port}${base}`,
    close: () => new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    })};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const {values, positionals} = parseArgs({allowPositionals: true, options: {
    port: {type: "string", default: "8000"},
    host: {type: "string", default: "127.0.0.1"},
    base: {type: "string", default: "/"}}});
  try {
    const {address} = await serve({...values, port: Number(values.port),
      folder: positionals[0]});
    console.log(`${address}   (Ctrl-C ends it)`);
  } catch (error) {
    console.error(`web-serve: ${error.message}`);
    process.exitCode = 2;
  }
}
