/*
 * llvm.mjs: clang, wasm-ld and ar, which are one wasm program
 * (@yowasp/clang), in node and on the real files.
 *
 * Several workers share its compiled form, for that is what takes long: the
 * longer a build, the faster it is.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execFileSync } from "node:child_process";
import { Worker, isMainThread, parentPort, workerData }
    from "node:worker_threads";
import { WASI } from "node:wasi";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const packageDir =
    path.join(root, "web/node_modules/@yowasp/clang/gen");

/* Its headers and libraries, unpacked: what the compiler sees as /usr. */
export function sysroot(build) {
    const dir = path.join(build, "wasm/usr");
    const tar = path.join(packageDir, "llvm-resources.tar");
    if (!fs.existsSync(path.join(dir, "lib"))) {
        fs.mkdirSync(dir, { recursive: true });
        execFileSync("tar", ["xf", tar, "-C", dir]);
    }
    return dir;
}

export function loadLlvm() {
    return WebAssembly.compile(
        fs.readFileSync(path.join(packageDir, "llvm.core.wasm")));
}

/* Run one command to its end. The repository is "." to it, and nothing else of
 * the machine is there. Return: {status, output: what it printed}. */
export function run(module, usr, args, imports = {}) {
    const log = path.join(os.tmpdir(), `wcc-${process.pid}-${Math.random()}`);
    const fd = fs.openSync(log, "w+");
    const tmp = path.join(usr, "../tmp");
    fs.mkdirSync(tmp, { recursive: true });
    const wasi = new WASI({
        version: "preview1", args, env: {}, returnOnExit: true,
        preopens: { ".": root, "/usr": usr, "/tmp": tmp },
        stdout: fd, stderr: fd,
    });
    let status, output = "";
    try {
        const instance = new WebAssembly.Instance(
            module, { ...wasi.getImportObject(), ...imports });
        imports.memory?.(instance.exports.memory);
        status = wasi.start(instance);
    } catch (error) {
        status = 134;
        output = `${error.stack}\n`;
    }
    output = fs.readFileSync(log, "utf8") + output;
    fs.closeSync(fd);
    fs.unlinkSync(log);
    return { status, output };
}

if (!isMainThread && workerData?.llvm) {
    const { module, usr } = workerData.llvm;
    parentPort.on("message",
                  args => parentPort.postMessage(run(module, usr, args)));
}

/* Compilers that wait for work: run(args) takes the next that is free. */
export class Llvm {
    #free = [];
    #waiting = [];
    #all = [];

    static async open(build, count = Math.min(os.cpus().length, 4)) {
        const llvm = new Llvm();
        const usr = sysroot(build);
        const module = await loadLlvm();
        for (let i = 0; i < count; i++) {
            const worker = new Worker(new URL(import.meta.url), {
                workerData: { llvm: { module, usr } },
                execArgv: ["--no-warnings"],
            });
            llvm.#all.push(worker);
            llvm.#free.push(worker);
        }
        return llvm;
    }

    async run(args) {
        const worker = this.#free.pop() ??
            await new Promise(resolve => this.#waiting.push(resolve));
        const result = await new Promise((resolve, reject) => {
            worker.once("message", resolve);
            worker.once("error", reject);
            worker.postMessage(args);
        });
        worker.removeAllListeners("error");
        const next = this.#waiting.shift();
        if (next)
            next(worker);
        else
            this.#free.push(worker);
        return result;
    }

    close() {
        return Promise.all(this.#all.map(worker => worker.terminate()));
    }
}
