/* recorded.mjs: what the native tools say of some texts, in the form of the
 * engine's answers: for tests of the page with mock_engine.js
 *
 *     node tests/web/recorded.mjs FILE.json
 */
import {spawnSync} from "node:child_process";
import {existsSync, mkdtempSync, readFileSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {halfOf} from "../../web/tools/sources.mjs";

const LAB = "08_uneven_chunks", root = resolve(".");
const place = mkdtempSync(join(tmpdir(), "recorded-"));

function call(program, args, env = {}) {
  const {status, stdout, stderr} = spawnSync(program, args, {cwd: root,
    encoding: "utf8", env: {...process.env, ...env}, maxBuffer: 1 << 26});
  return {status, stdout, stderr};
}

const textOf = (path) => existsSync(path) ? readFileSync(path, "utf8") : "";

function page(traces) {
  const out = join(place, "page.html");
  return call("build/bin/timeline", ["--html", out, "--source", ".",
    ...traces]).status === 0 ? textOf(out) : "";
}

function lab(what, text) {
  const file = join(place, "lab.cu"), json = join(place, "grade.json");
  writeFileSync(file, text);
  const grade = (...args) => call("build/bin/grade", ["--backend", "vgpu",
    "--file", file, ...args, LAB]);
  if (what === "grade") {
    const {status, stdout} = grade("--json", json);
    return {status, stdout, json: textOf(json)};
  }
  if (what === "sweep") {
    const {status, stdout} = grade("--sweep");
    return {status, stdout};
  }
  const {status, stdout} = grade("--run", "--traces", "build/web-mock-traces");
  const [baseline, student] = ["baseline", "student"].map((name) =>
    `build/web-mock-traces/08_${name}.trace`);
  return {status, stdout, traces: {student: textOf(student)},
    data: existsSync(student) ? page(["--title", "without overlap", baseline,
      "--title", "your lab.cu", student]) : null};
}

function program(text, device, gpus) {
  const source = join(place, "program.cu"), binary = join(place, "program");
  const trace = join(place, "program.trace");
  writeFileSync(source, text);
  const built = call("build/bin/vgpucc", ["-O2", "-Icommon", source,
    "common/helper.cu", "-o", binary]);
  if (built.status !== 0) {
    return {status: 1, stdout: "", stderr: built.stderr, trace: "", data: null};
  }
  const ran = call(binary, [], {VGPU_DEVICE: device, VGPU_COUNT: gpus,
    VGPU_CHECK: "1", VGPU_TRACE: trace});
  return {...ran, trace: textOf(trace),
    data: page(["--title", "program", trace])};
}

const [skeleton, solution] = ["skeleton", "solution"].map((half) =>
  halfOf(`${LAB}/lab.cu`, half));
const submission = (name) => readFileSync(call("tools/submission",
  [`tests/corpus/${LAB}/wrong/${name}.diff`]).stdout.trim(), "utf8");
const misspelt = solution.replace("cudaMemcpyAsync(", "cudaMemcpyAsnc(");
const texts = [skeleton, solution, submission("sync_last_stream_only"),
  misspelt, "#warning the first message\n" + misspelt];
const recorded = texts.flatMap((text) => ["run", "grade", "sweep"].map((what) =>
  ({do: what, lab: LAB, text, answer: lab(what, text)})));
for (const name of ["overlap", "hazard"]) {
  const text = readFileSync(`web/playground/${name}.cu`, "utf8");
  recorded.push({do: "program", text, answer: program(text, "k20", 1)});
}
const eight = readFileSync("slides/predict/08.cu", "utf8");
recorded.push({do: "program", text: eight, answer: program(eight, "unit", 1)});
writeFileSync(process.argv[2], JSON.stringify(recorded));
