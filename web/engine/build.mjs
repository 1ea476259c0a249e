/*
 * build.mjs [BUILD]: the engine's part of the site, BUILD/web/engine: its
 * scripts as files that need no others, its tools, and the course's files that
 * they work on (lab.tar.gz). After web/build.mjs, which makes the tools.
 */
import fs from "node:fs";
import path from "node:path";
import {gzipSync} from "node:zlib";
import {build} from "esbuild";
import {root} from "../tools/llvm.mjs";
import {namesIn} from "../tools/sources.mjs";

process.chdir(root);
const [from = "build"] = process.argv.slice(2);
const out = `${from}/web/engine`, wasm = `${from}/wasm`;

/* What grader and compiler look for below the repository; README.md for its
 * title. Solutions are not among them: a page brings its own. */
const FILES = [/^common\/[^/]+\.(h|cuh|cu)$/,
  /^grader\/drivers\/[^/]+\.(h|cuh|cu)$/,
  /^labs\/mistakes\.md$/,
  /^labs\/\d\d_\w+\/(lab\.h|mistakes\.md|README\.md|run_\w\.cu|figures\/run_\w\.trace)$/];

function* walk(folder) {
  for (const entry of namesIn(folder)) {
    const name = `${folder}/${entry}`, found = fs.lstatSync(name);
    if (found.isDirectory()) {
      yield* walk(name);
    } else if (found.isFile()) {
      yield name;
    }
  }
}

/* One file of an archive in ustar's form; its time does not matter. */
function entryOf(name, data) {
  const header = Buffer.alloc(512);
  const [prefix, last] = name.length < 100 ? ["", name] :
    [path.dirname(name), path.basename(name)];
  const octal = (value, size) => value.toString(8).padStart(size - 1, "0");
  header.write(last, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(data.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  header.write(prefix, 345);
  header.write(octal(header.reduce((sum, byte) => sum + byte, 0), 7) + "\0",
    148);
  return Buffer.concat([header, data,
    Buffer.alloc((512 - data.length % 512) % 512)]);
}

function archive() {
  const parts = [];
  const add = (name, data) => parts.push(entryOf(`lab/${name}`, data));
  for (const folder of ["common", "grader/drivers", "labs"]) {
    for (const name of walk(folder)) {
      if (FILES.some((pattern) => pattern.test(name))) {
        const data = fs.readFileSync(name);
        add(name, /README/.test(name) ?
          data.subarray(0, data.indexOf("\n") + 1) : data);
      }
    }
  }
  const objects = `${wasm}/obj/prebuilt`;
  for (const name of fs.existsSync(objects) ? fs.readdirSync(objects) : []) {
    if (name.endsWith(".o")) {
      add(`build/obj/vgpu/grade/${name}`,
        fs.readFileSync(`${objects}/${name}`));
    }
  }
  add("build/bin/vgpucc", Buffer.alloc(0)); // that it is there
  add("build/bin/clang++", Buffer.alloc(0));
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

const pack = (name, data) =>
  fs.writeFileSync(`${out}/${name}`, gzipSync(data, {level: 9}));

fs.mkdirSync(out, {recursive: true});
await build({entryPoints: ["engine", "program", "workers"].map((name) =>
  `web/engine/${name}.js`), outdir: out, bundle: true, format: "esm",
target: "es2022", minify: true, legalComments: "none", logLevel: "warning"});
for (const tool of ["grade", "timeline"]) {
  pack(`${tool}.wasm.gz`, fs.readFileSync(`${wasm}/bin/${tool}.wasm`));
}
pack("lab.tar.gz", archive());
