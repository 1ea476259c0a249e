/*
 * wcc.mjs WORD...: vgpucc for the browser's programs, with the words that
 * vgpucc takes; paths are those of the repository. For developers:
 *
 *     node web/tools/wcc.mjs vgpu/tests/conformance/x.cu -o build/wasm/x.wasm
 *
 * "--" between two lists of words compiles them in turn, which is quicker than
 * two calls. -B BUILD before all names another build folder.
 */
import {root} from "./llvm.mjs";
import {openVgpucc} from "./vgpucc.mjs";

process.chdir(root);
const words = process.argv.slice(2);
const build = words[0] === "-B" ? words.splice(0, 2)[1] : "build";
const compile = await openVgpucc(build);

while (words.length) {
    const end = words.indexOf("--");
    const {status, output} =
        compile(words.splice(0, end < 0 ? words.length : end));
    process.stderr.write(output);
    process.exitCode ||= status;
    words.shift();
}
