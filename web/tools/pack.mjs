/*
 * pack.mjs [BUILD]: what web/engine/clang.js loads, to BUILD/web/engine.
 *
 * Of clang's headers and libraries what a CUDA program can use, and the virtual
 * GPU's beside them, where vgpucc finds them as if it had been installed.
 */
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { execFileSync } from "node:child_process";
import { isFresh } from "./fresh.mjs";
import { packageDir, root, sysroot } from "./llvm.mjs";

process.chdir(root);
const build = process.argv[2] ?? "build";
const out = `${build}/web/engine`;
const wasm = `${build}/wasm`;
const usr = `${wasm}/packed/usr`;

function pack(from, target) {
    if (!isFresh(target, from)) {
        console.log(`  pack  ${target}`);
        fs.writeFileSync(target, zlib.gzipSync(fs.readFileSync(from),
                                               { level: 9 }));
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
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(from, to);
}

function packUsr(target) {
    const from = sysroot(build);
    if (isFresh(target, from, "vgpu/include", `${wasm}/lib/libvgpu.a`))
        return;
    fs.rmSync(usr, { recursive: true, force: true });
    for (const entry of fs.readdirSync(from, { recursive: true,
                                               withFileTypes: true })) {
        const name = path.relative(from, path.join(entry.path, entry.name));
        if (entry.isFile() && isNeeded(name))
            copy(path.join(from, name), path.join(usr, name));
    }
    fs.cpSync("vgpu/include", `${usr}/include/vgpucc`, { recursive: true });
    copy(`${wasm}/lib/libvgpu.a`, `${usr}/lib/vgpucc/libvgpu.a`);
    execFileSync("tar", ["cf", `${wasm}/packed/usr.tar`, "--format=ustar",
                         "--sort=name", "--mtime=@0", "--owner=0", "--group=0",
                         "-C", usr, "."]);
    pack(`${wasm}/packed/usr.tar`, target);
}

fs.mkdirSync(out, { recursive: true });
pack(`${packageDir}/llvm.core.wasm`, `${out}/clang.wasm.gz`);
pack(`${wasm}/bin/vgpucc.wasm`, `${out}/vgpucc.wasm.gz`);
packUsr(`${out}/usr.tar.gz`);
fs.writeFileSync(`${out}/clang.json`, JSON.stringify({
    total: ["clang.wasm.gz", "vgpucc.wasm.gz", "usr.tar.gz"]
        .reduce((sum, name) => sum + fs.statSync(`${out}/${name}`).size, 0),
}));
