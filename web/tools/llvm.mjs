/*
 * llvm.mjs: clang, wasm-ld and ar, which are one wasm program
 * (@yowasp/clang), in node and on the real files.
 *
 * With V8's quick compiler alone: what it takes to make this large program
 * faster costs more than it saves, and node 20 dies of it now and then.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {execFileSync, fork} from "node:child_process";
import v8 from "node:v8";
import {WASI} from "node:wasi";

v8.setFlagsFromString("--liftoff-only");

const TRIES = 3;

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const packageDir =
    path.join(root, "web/node_modules/@yowasp/clang/gen");

/* Its headers and libraries, unpacked: what the compiler sees as /usr. */
export function sysroot(build) {
    const dir = path.join(build, "wasm/usr");
    const tar = path.join(packageDir, "llvm-resources.tar");
    if (!fs.existsSync(path.join(dir, "lib"))) {
        fs.mkdirSync(dir, {recursive: true});
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
    fs.mkdirSync(tmp, {recursive: true});
    const wasi = new WASI({
        version: "preview1", args, env: {}, returnOnExit: true,
        preopens: {".": root, "/usr": usr, "/tmp": tmp},
        stdout: fd, stderr: fd,
    });
    let status, output = "";
    try {
        const instance = new WebAssembly.Instance(
            module, {...wasi.getImportObject(), ...imports});
        imports.memory?.(instance.exports.memory);
        status = wasi.start(instance);
    } catch (error) {
        status = 134;
        output = `${error.stack}\n`;
    }
    output = fs.readFileSync(log, "utf8") + output;
    fs.closeSync(fd);
    fs.unlinkSync(log);
    return {status, output};
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) {
    const usr = process.argv[2];
    const module = loadLlvm();
    process.chdir(root);
    process.on("message", async (args) =>
        process.send(run(await module, usr, args)));
}

/* Compilers that wait for work: run(args) takes the next that is free. One that
 * died is replaced, and its work done again by another. */
export class Llvm {
    #free = [];
    #waiting = [];
    #all = new Set();
    #usr;

    constructor(build, count = Math.min(os.cpus().length, 4)) {
        this.#usr = sysroot(build);
        for (let i = 0; i < count; i++)
            this.#free.push(this.#start());
    }

    #start() {
        const process = fork(self, [this.#usr],
                             {execArgv: ["--no-warnings"]});
        this.#all.add(process);
        return process;
    }

    /* Return: null where it died. */
    #ask(process, args) {
        return new Promise((resolve) => {
            const ended = () => {
                this.#all.delete(process);
                resolve(null);
            };
            process.once("exit", ended);
            process.once("message", (message) => {
                process.off("exit", ended);
                resolve(message);
            });
            process.send(args);
        });
    }

    async run(args) {
        let process = this.#free.pop() ??
            await new Promise((resolve) => this.#waiting.push(resolve));
        let result = null;
        for (let i = 0; !result && i < TRIES; i++) {
            result = await this.#ask(process, args);
            if (!result)
                process = this.#start();
        }
        const next = this.#waiting.shift();
        if (next)
            next(process);
        else
            this.#free.push(process);
        return result ?? {status: 134, output: "it died"};
    }

    close() {
        for (const process of this.#all)
            process.disconnect();
    }
}
