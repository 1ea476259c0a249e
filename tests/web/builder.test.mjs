/* builder.test.mjs: a site is the same, byte for byte, whoever builds it: what
 * stands in the builder's own lab.cu and flags, and files that are theirs, is
 * in none of its files. No browser is needed, so one of them has this test. */
import {execFileSync} from "node:child_process";
import {appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync,
  readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync}
  from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {check, finish, same, test, which} from "./harness.mjs";

const place = mkdtempSync(join(tmpdir(), "builder-"));
const copy = join(place, "lab");
const labs = readdirSync("labs").filter((name) => /^\d\d_/.test(name));
const call = (program, ...words) => execFileSync(program, words, {cwd: copy,
  encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1e8});

/* The project's files in a repository of their own, and what was built. */
function makeCopy() {
  const names = execFileSync("tools/sources", ["*"], {encoding: "utf8"});
  for (const name of names.split("\n").filter((n) => n && existsSync(n))) {
    mkdirSync(dirname(join(copy, name)), {recursive: true});
    cpSync(name, join(copy, name));
  }
  for (const name of ["web", "slides"]) {
    symlinkSync(join(process.cwd(), name, "node_modules"),
      join(copy, name, "node_modules"));
  }
  mkdirSync(join(copy, "build"));
  cpSync("build/wasm/bin", join(copy, "build/wasm/bin"), {recursive: true});
  call("git", "init", "-q");
  call("git", "add", "-A");
}

/* "path": bytes, of all that the site has. */
function siteOf() {
  const out = join(copy, "build/web");
  rmSync(out, {recursive: true, force: true});
  call("node", "--no-warnings", "web/engine/build.mjs", "build");
  call("node", "web/page/build.mjs", "build/web");
  call("node", "web/site/build.mjs", "build/web", "--no-decks");
  return new Map(readdirSync(out, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile()).map((entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      return [path.slice(out.length + 1), readFileSync(path)];
    }));
}

const differing = (a, b) => [...new Set([...a.keys(), ...b.keys()])]
  .filter((path) => !a.has(path) || !b.has(path) ||
    !a.get(path).equals(b.get(path))).sort();

const everyLab = (change) => labs.forEach((lab) =>
  change(join(copy, "labs", lab, "lab.cu"), lab));
const WAYS = {
  "solved": (file, lab) => writeFileSync(file, call("tools/skeleton",
    "--solution", `solutions/${lab}/lab.cu`)),
  "of something else": (file) => writeFileSync(file, "MINE // <solution\0\xff"),
  "gone": (file) => rmSync(file),
};

if (which === "chromium") {
  makeCopy();
  // A page of the file itself, where a text leads to it.
  appendFileSync(join(copy, "docs/glossary.md"),
    "\n[A file](../labs/08_uneven_chunks/lab.cu)\n");
  const clean = siteOf();
  await test("the site has each lab's skeleton, and solved it is another",
    async () => {
      for (const lab of labs) {
        const {skeleton} = JSON.parse(clean.get(`data/labs/${lab}.json`));
        same(skeleton, call("tools/skeleton", `solutions/${lab}/lab.cu`), lab);
      }
      check(clean.has("labs/08_uneven_chunks/lab.cu.html"), "no such page");
    });
  for (const [how, change] of Object.entries(WAYS)) {
    await test(`the builder's labs are ${how}: the same bytes`, async () => {
      everyLab(change);
      same(differing(clean, siteOf()), [], "differing files");
    });
  }
  await test("options, backups, notes and progress of the builder: the same",
    async () => {
      const mine = ["labs/05_default_stream/flags", "labs/08_uneven_chunks/flags",
        "labs/08_uneven_chunks/lab.cu.bak-20260101-101010",
        "labs/08_uneven_chunks/run_z.cu", "labs/99_mine/README.md",
        "labs/99_mine/lab.cu", "docs/exam.md", "slides/99_mine.md",
        "slides/predict/mine.cu", "web/playground/mine.cu",
        "vgpu/profiles/mine.profile", "grader/drivers/mine.cu",
        "common/mine.h", "build/state/08"];
      for (const name of mine) {
        mkdirSync(dirname(join(copy, name)), {recursive: true});
        writeFileSync(join(copy, name), "# MINE\n--default-stream per-thread\n");
      }
      same(differing(clean, siteOf()), [], "differing files");
    });
  rmSync(place, {recursive: true, force: true});
}
finish();
