/*
 * prebuild.mjs [BUILD]: the grader's drivers and common/ as objects, so that a
 * tab compiles nothing but the student's file. As grader/build/build.c does it;
 * their names are those that web/engine/process.js asks for.
 */
import fs from "node:fs";
import path from "node:path";
import {isFresh} from "./fresh.mjs";
import {root} from "./llvm.mjs";
import {openVgpucc} from "./vgpucc.mjs";

process.chdir(root);
const build = process.argv[2] ?? "build";
const out = `${build}/wasm/obj/prebuilt`;
const FLAGS = ["-O2", "-std=c++17", "-Iweb/wasi", "-Icommon",
               "-Igrader/drivers",
               "-D__ioinit=__ioinit __attribute__((init_priority(200)))"];
let compile; /* loaded when there is something to do */

fs.mkdirSync(out, {recursive: true});
for (const folder of ["common", "grader/drivers"]) {
    for (const file of fs.readdirSync(folder)) {
        const source = `${folder}/${file}`;
        const object = `${out}/${source.replace(/[/.]/g, "_")}.o`;
        const lab = `labs/${path.basename(file, ".cu")}`;
        const headers = fs.existsSync(lab) ? [lab] : [];
        if (!file.endsWith(".cu") ||
            isFresh(object, "common", "grader/drivers", "vgpu/include",
                    `${build}/wasm/bin/vgpucc.wasm`,
                    ...headers.map((dir) => `${dir}/lab.h`)))
            continue;
        compile ??= await openVgpucc(build);
        const {status, output} = compile(
            [...FLAGS, ...headers.map((dir) => `-I${dir}`), "-c", source, "-o",
             object]);
        console.log(`  vgpu  ${object}`);
        process.stderr.write(output);
        if (status) {
            fs.rmSync(object, {force: true});
            process.exitCode = 1;
        }
    }
}
