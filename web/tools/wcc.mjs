/*
 * wcc.mjs WORD...: vgpucc for the browser's programs, with the words that
 * vgpucc takes; paths are those of the repository. For developers:
 *
 *     node web/tools/wcc.mjs tests/conformance/x.cu -o build/wasm/x.wasm
 *
 * "--" between two lists of words compiles them in turn, which is quicker than
 * two calls. -B BUILD before all names another build folder.
 */
import fs from "node:fs";
import path from "node:path";
import { loadLlvm, root, run, sysroot } from "./llvm.mjs";

process.chdir(root);
const words = process.argv.slice(2);
const build = words[0] === "-B" ? words.splice(0, 2)[1] : "build";
const usr = sysroot(build);
const llvm = await loadLlvm();
const vgpucc = await WebAssembly.compile(
    fs.readFileSync(`${build}/wasm/bin/vgpucc.wasm`));
const temporary = path.join(usr, "../tmp");

function file(name) {
    return name.startsWith("/tmp/") ? path.join(temporary, name.slice(5))
                                    : name;
}

function compile(args) {
    let memory;
    const text = (at, end) => new TextDecoder()
        .decode(new Uint8Array(memory.buffer).slice(at, end));
    const lab = {
        run(at, size, errors) {
            const bytes = new Uint8Array(memory.buffer);
            const name = text(errors, bytes.indexOf(0, errors));
            const command = text(at, at + size - 1).split("\0");
            const { status, output } = run(llvm, usr, command);
            if (name)
                fs.writeFileSync(file(name), output);
            else
                process.stderr.write(output);
            return status;
        },
    };
    const { status, output } =
        run(vgpucc, usr, [`${build}/wasm/bin/vgpucc`, ...args],
            { lab, memory: from => { memory = from; } });
    process.stderr.write(output);
    return status;
}

let worst = 0;
while (words.length) {
    const end = words.indexOf("--");
    worst = Math.max(worst, compile(words.splice(0, end < 0 ? words.length
                                                            : end)));
    words.shift();
}
process.exitCode = worst;
