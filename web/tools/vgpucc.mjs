/*
 * vgpucc.mjs: vgpucc.wasm in node, on the real files.
 */
import fs from "node:fs";
import path from "node:path";
import {loadLlvm, run, sysroot} from "./llvm.mjs";

/*
 * Return: compile(words), which runs vgpucc of @build with these words in the
 * repository: {status, output: what it and its compilers printed}.
 */
export async function openVgpucc(build) {
    const usr = sysroot(build);
    const llvm = await loadLlvm();
    const vgpucc = await WebAssembly.compile(
        fs.readFileSync(`${build}/wasm/bin/vgpucc.wasm`));
    const temporary = path.join(usr, "../tmp");
    const place = (name) => name.startsWith("/tmp/")
        ? path.join(temporary, name.slice(5)) : name;

    return function compile(words) {
        let memory, said = "";
        const text = (at, end) => new TextDecoder()
            .decode(new Uint8Array(memory.buffer).slice(at, end));
        const lab = {
            run(at, size, errors) {
                const bytes = new Uint8Array(memory.buffer);
                const name = text(errors, bytes.indexOf(0, errors));
                const command = text(at, at + size - 1).split("\0");
                const {status, output} = run(llvm, usr, command);
                if (name)
                    fs.writeFileSync(place(name), output);
                else
                    said += output;
                return status;
            },
        };
        const {status, output} =
            run(vgpucc, usr, [`${build}/wasm/bin/vgpucc`, ...words],
                {lab, memory: (from) => { memory = from; }});
        return {status, output: said + output};
    };
}
