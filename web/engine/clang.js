/*
 * clang.js: clang, wasm-ld and ar as one program that runs on files in memory,
 * and vgpucc, which calls them. Nothing here waits but the loading.
 */
import {ConsoleStdout, Directory, File, OpenFile, WASI, WASIProcExit}
    from "@bjorn3/browser_wasi_shim";
import "./room.js";
import {unpack} from "./tar.js";
import {Opened, find, makeFolder, write} from "./tree.js";

/* The body of @response with @count called for what has come of it, and
 * unpacked if it is packed: a server may have done that, or may not. */
async function* pieces(response, count) {
    const reader = response.body.getReader();
    for (;;) {
        const {done, value} = await reader.read();
        if (done)
            return;
        count(value.length);
        yield value;
    }
}

async function opened(url, count) {
    const response = await fetch(url);
    if (!response.ok)
        throw new Error(`${url}: ${response.status} ${response.statusText}`);
    const parts = pieces(response, count);
    const first = (await parts.next()).value ?? new Uint8Array();
    const stream = new ReadableStream({
        start: (controller) => controller.enqueue(first),
        async pull(controller) {
            const {done, value} = await parts.next();
            if (done)
                controller.close();
            else
                controller.enqueue(value);
        },
    });
    return first[0] === 0x1f && first[1] === 0x8b
        ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
}

/* What a program prints. */
class Output extends ConsoleStdout {
    constructor() {
        super((bytes) => this.parts.push(bytes.slice()));
        this.parts = [];
    }

    text() {
        const decoder = new TextDecoder();
        return this.parts.map((part) => decoder.decode(part, {stream: true}))
            .join("") + decoder.decode();
    }
}

export class Clang {
    #llvm;
    #vgpucc;
    #usr;

    /*
     * Fetch all that is needed from @base, a URL that ends with "/", and get it
     * ready. @progress(bytes, total) is called on the way.
     */
    static async load({base, progress = () => {}}) {
        const clang = new Clang();
        const sizes = await (await fetch(new URL("clang.json", base))).json();
        let bytes = 0;
        const get = (name) => opened(new URL(name, base), (more) => {
            bytes += more;
            progress(Math.min(bytes, sizes.total), sizes.total);
        });
        const module = async (name) => WebAssembly.compileStreaming(
            new Response(await get(name),
                         {headers: {"content-type": "application/wasm"}}));
        const archive = async (name) => unpack(new Uint8Array(
            await new Response(await get(name)).arrayBuffer()));

        [clang.#llvm, clang.#vgpucc, clang.#usr] = await Promise.all([
            module("clang.wasm.gz"), module("vgpucc.wasm.gz"),
            archive("usr.tar.gz")]);
        makeFolder(clang.#usr, "bin"); /* where vgpucc says that it is */
        return clang;
    }

    #start(module, words, root, cwd, lab) {
        const output = new Output();
        const here = find(root, cwd);
        const seen = this.#seenFrom(here, root);
        const files = [new OpenFile(new File([])), output, output,
                       new Opened("/", seen)];
        const wasi = new WASI(words, [], files, {debug: false});
        const imports = {wasi_snapshot_preview1: wasi.wasiImport};
        let status = 0;

        if (lab)
            imports.lab = lab(() => instance.exports.memory.buffer, output);
        const instance = new WebAssembly.Instance(module, imports);
        try {
            status = wasi.start(instance);
        } catch (error) {
            if (!(error instanceof WASIProcExit)) {
                output.write(new TextEncoder().encode(`${words[0]} died: ` +
                                                      `${error.message}\n`));
                status = 134;
            }
        }
        for (const [name, entry] of seen.contents)
            if (!root.contents.has(name) && name !== "usr")
                here.contents.set(name, entry);
        return {status, output: output.text()};
    }

    /* A program's names all begin at the root, to its C library: so what is in
     * the folder @here stands there, too, with @root's and the compiler's. */
    #seenFrom(here, root) {
        makeFolder(root, "/tmp");
        return new Directory(new Map([...here.contents, ...root.contents,
                                      ["usr", this.#usr]]));
    }

    /* Run a command to its end on the files of @root, a Directory, in the
     * folder @cwd. Return: {status, output: what it printed}. */
    run(words, root, cwd = "/") {
        return this.#start(this.#llvm, words, root, cwd);
    }

    /* The same for vgpucc: @words are what follows its name. */
    vgpucc(words, root, cwd = "/") {
        const decoder = new TextDecoder();
        const lab = (memory, output) => ({
            run: (at, size, errors) => {
                const bytes = new Uint8Array(memory());
                const name = decoder.decode(
                    bytes.subarray(errors, bytes.indexOf(0, errors)));
                const command = decoder.decode(
                    bytes.subarray(at, at + size - 1)).split("\0");
                const ran = this.run(command, root, cwd);
                const said = new TextEncoder().encode(ran.output);
                if (name)
                    write(root, name, said);
                else if (said.length)
                    output.write(said);
                return ran.status;
            },
        });
        return this.#start(this.#vgpucc, ["/usr/bin/vgpucc", ...words], root,
                           cwd, lab);
    }
}
