/* programs.mjs: builds a deck's small programs with vgpucc, runs them on a
 * virtual device and draws what they did. A program is run anew when anything
 * that its run depends on has changed. */
import {spawn} from "node:child_process";
import {createHash} from "node:crypto";
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync,
  writeFileSync} from "node:fs";
import {basename, dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const RUN_MS = 60000;
const TOOLS = ["build/bin/vgpucc", "build/lib/libvgpu.a", "build/bin/timeline"];

function run(command, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {env: {...process.env, ...env},
      stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS});
    let stdout = "", stderr = "";
    child.stdout.on("data", (data) => stdout += data);
    child.stderr.on("data", (data) => stderr += data);
    child.on("error", (error) => done({status: -1, stdout, stderr:
      String(error)}));
    child.on("close", (status) => done({status, stdout, stderr}));
  });
}

/* Lines `build: FLAGS`, `run: NAME=VALUE ...`, `by: stream` and `status: N` in
 * comments. */
function settings(text) {
  const found = {build: "", run: "", by: "engine", status: "0"};
  const line =
    /^\s*(?:\/?\*+|\/\/)\s*(build|run|by|status):\s*(.*?)\s*(?:\*\/)?$/;
  for (const match of text.split("\n").map((l) => l.match(line))) {
    if (match) {
      found[match[1]] = match[2];
    }
  }
  const words = (s) => s.split(/\s+/).filter(Boolean);
  return {flags: words(found.build), by: found.by, status: Number(found.status),
    env: {VGPU_DEVICE: "unit", VGPU_CHECK: "1",
      ...Object.fromEntries(words(found.run).map((w) => w.split("=")))}};
}

const isFile = (path) => existsSync(path) && statSync(path).isFile();

const filesUnder = (folder) => readdirSync(folder, {withFileTypes: true})
  .flatMap((entry) => entry.isDirectory() ?
    filesUnder(join(folder, entry.name)) : [join(folder, entry.name)]).sort();

const sums = new Map();

function sumOf(file) {
  if (!sums.has(file)) {
    sums.set(file,
      createHash("sha256").update(readFileSync(file)).digest("hex"));
  }
  return sums.get(file);
}

/* All that a run depends on, by content: a file may come back with an earlier
 * time. The built-in device profiles are in libvgpu.a; one that is given as a
 * file is read when the program runs. */
function inputs(source, env) {
  const files = [fileURLToPath(import.meta.url), source, ...TOOLS,
    ...filesUnder("common"), ...filesUnder("vgpu/include"),
    ...isFile(env.VGPU_DEVICE) ? [env.VGPU_DEVICE] : []];
  return files.map((file) => `${sumOf(file)} ${basename(file)}\n`).join("");
}

/* What a slide is about need not be told in check mode's words, too. */
const NOTES = /^vgpu: note: .*\n/gm;

/* Return: {svg, output, unit}: the picture's file, what the program printed,
 * and whether its device is the unit-cost one, or a file unit*.profile. */
async function make(source, folder, title) {
  const name = basename(source, ".cu");
  const {flags, by, env, status} = settings(readFileSync(source, "utf8"));
  const place = join(folder, name);
  const [program, trace, svg, printed, made] =
    ["", ".trace", ".svg", ".txt", ".inputs"].map((end) => place + end);
  const from = inputs(source, env);
  mkdirSync(dirname(place), {recursive: true});
  if (!existsSync(made) || readFileSync(made, "utf8") !== from) {
    rmSync(made, {force: true});
    const built = await run("build/bin/vgpucc", ["-O1", "-std=c++17", "-Icommon",
      ...flags, source, "common/helper.cu", "-o", program]);
    if (built.status !== 0) {
      throw new Error(`${source} does not compile:\n${built.stderr}`);
    }
    const ran = await run(program, [], {...env, VGPU_TRACE: trace});
    const told = ran.stderr.replace(NOTES, "");
    if (ran.status !== status || (status === 0 && told)) {
      throw new Error(`${source} ended with status ${ran.status}, not ${
        status}:\n${ran.stderr}`);
    }
    writeFileSync(printed, ran.stdout + told);
    writeFileSync(made, from);
  }
  const drawn = await run("build/bin/timeline", ["--svg", svg, "--by", by,
    "--title", title, trace]);
  if (drawn.status !== 0) {
    throw new Error(`${source}: cannot be drawn:\n${drawn.stderr}`);
  }
  return {svg: readFileSync(svg, "utf8"),
    unit: /^unit/.test(basename(env.VGPU_DEVICE)),
    output: readFileSync(printed, "utf8")};
}

const running = new Map();

/* Each program once, however often a deck shows it. */
export async function program(source, folder, title) {
  const before = running.get(source) || Promise.resolve();
  const result = before.then(() => make(source, folder, title));
  running.set(source, result.catch(() => {}));
  return result;
}
