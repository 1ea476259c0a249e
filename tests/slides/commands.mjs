/* commands.mjs: the commands on slides, run as somebody would who follows them:
 * in a copy of the working tree, one after another, each once. */
import {execFileSync, spawn} from "node:child_process";
import {existsSync, mkdirSync, rmSync} from "node:fs";
import {join} from "node:path";

const LIMIT_S = 180;
/* These need what not every machine has. */
const NEED_GPU = /^(nsys|ncu|nvidia-smi|compute-sanitizer)\b|BACKEND=cuda/;
const NEED_TOOL = /^(nvcc|cuobjdump|mpirun)\b/;
const COMMAND = new RegExp("^([A-Z_]+=\\S+ +)*" +
  "(make|nvcc|cuobjdump|mpirun|nsys|ncu|nvidia-smi|compute-sanitizer|" +
  "(\\./|build/|tools/|slides/)[\\w./-]+)( |$)");
const INLINE = /^([A-Z_]+=\S+ )*(make [a-zA-Z]|(build\/bin|tools)\/\w+ )/;

/* Lines of blocks "sh" and commands in the running text.
 * Return: [{line, fails, slide}], and lines that are none in `wrong`. */
export function commandsOf(slides) {
  const commands = [], wrong = [];
  slides.forEach(({shell, inline}, i) => {
    const joined = shell.replace(/\\\n\s*/g, "");
    for (const text of joined.split("\n").filter((l) => l.trim())) {
      const line = text.replace(/\s+#.*$/, "").trim();
      const fails = /\s#\s*fails\b/.test(text);
      if (COMMAND.test(line)) {
        commands.push({line, fails, slide: i + 1});
      } else {
        wrong.push(`slide ${i + 1}: not a command that the test knows: ${
          text}`);
      }
    }
    inline.filter((text) => INLINE.test(text)).forEach((line) =>
      commands.push({line, fails: null, slide: i + 1}));
  });
  return {commands, wrong};
}

/* A copy of the working tree with what is built there. */
export function makePlace(folder) {
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  execFileSync("sh", ["-c", `
    { find . \\( -path ./build -o -name .git -o -name node_modules \\) -prune \
        -o -type f -print0
      find build/bin build/lib build/obj build/gen build/compiler-found \
        -type f -print0; } |
      tar -c --null --ignore-failed-read -T - 2>/dev/null |
      tar -x -C "$1"`, "sh", folder]);
  return folder;
}

const hasGpu = existsSync("/dev/nvidia0") || existsSync("/dev/dxg");
const toolkit = join(process.env.CUDA_HOME || "/usr/local/cuda", "bin");
const path = `${process.env.PATH}:${toolkit}`;

function hasTool(name) {
  return path.split(":").some((folder) => existsSync(join(folder, name)));
}

/* Why a command cannot run here, or "". */
function missing(line) {
  const command = line.replace(/^([A-Z_]+=\S+ +)*/, "");
  const [name] = command.split(" ");
  if (!hasGpu && (NEED_GPU.test(command) || NEED_GPU.test(line))) {
    return "no GPU";
  }
  return (NEED_TOOL.test(command) || NEED_GPU.test(command)) && !hasTool(name) ? `no ${name}` : "";
}

function runLine(line, place) {
  const env = {...process.env, PATH: path};
  Object.keys(env).filter((name) => /^(VGPU_|MAKE|MFLAGS|LAB$|BACKEND$)/
    .test(name)).forEach((name) => delete env[name]);
  return new Promise((done) => {
    const child = spawn("sh", ["-c", line], {cwd: place, env, detached: true,
      stdio: ["ignore", "pipe", "pipe"]});
    let said = "", late = false;
    const hear = (data) => said = (said + data).slice(-4000);
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    /* watch never ends by itself */
    const limit = line.startsWith("make watch") ? 10 : LIMIT_S;
    const timer = setTimeout(() => {
      late = true;
      process.kill(-child.pid, "SIGKILL");
    }, limit * 1000);
    child.on("close", (status) => {
      clearTimeout(timer);
      done({status, said, late, limit});
    });
  });
}

/* A grade that is not passed is an answer to make, which ends with 0: then it is
 * the words that tell. */
function hasFailed(line, status, said) {
  return status !== 0 || (/\bmake (lab\d|grade\b)/.test(line) &&
    /\bnot (passed|compared)\b|\bNOT\b|still open/.test(said));
}

const ran = new Map();

/* In running text a command may fail: what matters is that there is one.
 * Return: {problem, skip}, both "" where the command did as it should. */
export async function tryCommand({line, fails, slide}, place) {
  const skip = missing(line);
  if (skip) {
    return {problem: "", skip: `${line}: ${skip}`};
  }
  if (!ran.has(line)) {
    ran.set(line, runLine(line, place));
  }
  const {status, said, late, limit} = await ran.get(line);
  const tail = said.trim().split("\n").slice(-6).join("\n");
  let problem = "";
  if (late && !line.startsWith("make watch")) {
    problem = `slide ${slide}: ${line}: not done after ${limit} s`;
  } else if (!late && fails !== null &&
      hasFailed(line, status, said) !== fails) {
    problem = `slide ${slide}: ${line}: ${fails ? "should fail" : "failed"
    } and ended with status ${status}\n${tail}`;
  } else if (/No rule to make target/.test(said) ||
      (!late && fails === null && status > 2)) {
    problem = `slide ${slide}: ${line}: ended with status ${status}\n${tail}`;
  }
  return {problem, skip: ""};
}
