/*
 * pack.mjs [BUILD]: what web/engine/clang.js loads, to BUILD/web/engine.
 *
 * Of clang's headers and libraries what a CUDA program can use, and the virtual
 * GPU's beside them, where vgpucc finds them as if it had been installed.
 */
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import {execFileSync} from "node:child_process";
import {isFresh} from "./fresh.mjs";
import {namesIn} from "./sources.mjs";
import {loadLlvm, packageDir, root, run as runLlvm, sysroot}
    from "./llvm.mjs";

process.chdir(root);
const build = process.argv[2] ?? "build";
const out = `${build}/web/engine`;
const wasm = `${build}/wasm`;
const usr = `${wasm}/packed/usr`;

function pack(from, target) {
    if (!isFresh(target, from)) {
        console.log(`  pack  ${target}`);
        fs.writeFileSync(target, zlib.gzipSync(fs.readFileSync(from),
                                               {level: 9}));
    }
}

/* Headers of other processors, and libraries that nothing here is linked
 * with. */
function isNeeded(name) {
    if (/^include\/[^/]*$/.test(name))
        return /^(__)?(std|float|limits|iso646|inttypes|stddef|tgmath|varargs)/
            .test(path.basename(name));
    return !/^include\/(cuda_wrappers|hlsl|llvm_|openmp_|ppc_|fuzzer|orc)/
        .test(name) && !/^include\/(profile|sanitizer|zos_)/.test(name) &&
        !/^lib.*(\.so|\.json|experimental.a|double.a|floating.*.a|profile.a)$/
            .test(name) && !name.startsWith("share/");
}

function copy(from, to) {
    fs.mkdirSync(path.dirname(to), {recursive: true});
    fs.copyFileSync(from, to);
}

/* What vgpucc compiles every program with, as far as the language goes, and
 * what it says before each (vgpu/frontend/main.c, host_wasm.c). */
const LANGUAGE = ["-O2", "-std=c++17", "-gline-tables-only", "-Xclang",
                  "-fsanitize=thread", "-ffp-contract=off",
                  ...["memcpy", "memset", "memmove", "memcmp"]
                      .map((name) => `-fno-builtin-${name}`),
                  "-fno-delete-null-pointer-checks", "-mno-bulk-memory",
                  "-mno-bulk-memory-opt", "-msimd128",
                  "-fdebug-compilation-dir=."];
const MACROS = ["-D__VGPU__=1", "-U_FORTIFY_SOURCE", "-D__CUDACC__=1",
                "-D__NVCC__=1", "-isystem", "/usr/include/vgpucc"];

/* The headers before every program, compiled, and their macros for the text
 * that comes after them; not those that clang has by itself. */
async function prepare() {
    const llvm = await loadLlvm();
    const headers = "/usr/lib/vgpucc/headers";
    const clang = (words) => {
        const {status, output} = runLlvm(llvm, usr, ["clang++", ...words]);
        process.stderr.write(output);
        if (status)
            throw new Error("the headers could not be compiled");
    };
    const macros = (...words) => {
        clang([...words, "-std=c++17", "-E", "-dM", "-x", "c++",
               "/usr/lib/vgpucc/headers/empty", "-o", `${headers}/macros`]);
        return fs.readFileSync(`${usr}/lib/vgpucc/headers/macros`, "utf8")
            .split("\n");
    };
    fs.mkdirSync(`${usr}/lib/vgpucc/headers`, {recursive: true});
    fs.writeFileSync(`${usr}/lib/vgpucc/headers/empty`, "");
    clang([...LANGUAGE, ...MACROS, "-U__OPTIMIZE__", "-Xclang",
           "-fno-pch-timestamp", "-x", "c++-header",
           "/usr/include/vgpucc/vgpu/program.h", "-o",
           `${headers}/program.pch`]);
    const own = new Set(macros());
    fs.writeFileSync(`${usr}/lib/vgpucc/headers/program.macros`,
                     macros(...MACROS, "-include", "vgpu/program.h")
                         .filter((line) => !own.has(line) && !MACROS.some(
                             (word) => line === `#define ${word.slice(2)
                                 .replace("=", " ")}`))
                         .join("\n") + "\n");
    fs.rmSync(`${usr}/lib/vgpucc/headers/macros`);
}

async function packUsr(target) {
    const from = sysroot(build);
    if (isFresh(target, from, "vgpu/include", `${wasm}/lib/libvgpu.a`))
        return;
    fs.rmSync(usr, {recursive: true, force: true});
    for (const entry of fs.readdirSync(from, {recursive: true,
                                               withFileTypes: true})) {
        const name = path.relative(from, path.join(entry.path, entry.name));
        if (entry.isFile() && isNeeded(name))
            copy(path.join(from, name), path.join(usr, name));
    }
    fs.cpSync("vgpu/include", `${usr}/include/vgpucc`, {recursive: true,
        filter: (file) => fs.statSync(file).isDirectory() ||
            namesIn(path.dirname(file)).includes(path.basename(file))});
    copy(`${wasm}/lib/libvgpu.a`, `${usr}/lib/vgpucc/libvgpu.a`);
    await prepare();
    execFileSync("tar", ["cf", `${wasm}/packed/usr.tar`, "--format=ustar",
                         "--sort=name", "--mtime=@0", "--owner=0", "--group=0",
                         "-C", usr, "."]);
    pack(`${wasm}/packed/usr.tar`, target);
}

fs.mkdirSync(out, {recursive: true});
pack(`${packageDir}/llvm.core.wasm`, `${out}/clang.wasm.gz`);
pack(`${wasm}/bin/vgpucc.wasm`, `${out}/vgpucc.wasm.gz`);
await packUsr(`${out}/usr.tar.gz`);
fs.writeFileSync(`${out}/clang.json`, JSON.stringify({
    total: ["clang.wasm.gz", "vgpucc.wasm.gz", "usr.tar.gz"]
        .reduce((sum, name) => sum + fs.statSync(`${out}/${name}`).size, 0),
}));
