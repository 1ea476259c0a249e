/*
 * program.js: the worker that runs one program, made from a lab's file or from
 * the playground's, and is ended with it. Messages to it:
 *
 *   {module, args, env, files, keepBytes, floodBytes}   begin
 *   {ask, input, room}    a line for descriptor 3; 5 and 6 have `room` bytes
 *   {ping}                is it at rest?
 *
 * and from it: {wrote: 1|2|7, data}, {reply, output}, {wait, threads}, {pong,
 * asleep}, {end: {kind, code}, files}.
 */
import {Directory, File, PreopenDirectory, WASI, WASIProcExit, wasi}
    from "@bjorn3/browser_wasi_shim";
import {Contexts, Ended, signalOf} from "./contexts.js";
import {Pipe, descriptors} from "./descriptors.js";
import "./room.js";

/* The first addresses are nobody's (vgpu/check/check_state.h), and the main
 * stack grows down to them. */
const NOBODYS = 65536, AGAIN = 1 << 20;

let run = null;

/* The C library asks what may be done there, and whether names are links. */
class Root extends PreopenDirectory {
    fd_fdstat_get() {
        const fdstat = new wasi.Fdstat(wasi.FILETYPE_DIRECTORY, 0);
        fdstat.fs_rights_base = fdstat.fs_rights_inherited = ~0n;
        return {ret: 0, fdstat};
    }
    path_readlink() {
        return {ret: wasi.ERRNO_INVAL, data: null};
    }
}

/* /dev/null. */
class Nothing extends File {
    path_open() {
        return {ret: wasi.ERRNO_SUCCESS, fd_obj: new Pipe()};
    }
}

class Run {
    #written = 0;
    #output = 0; /* bytes of descriptor 6 that the last command wants */
    #over = false;

    constructor(start) {
        this.floodBytes = start.floodBytes ?? Infinity;
        this.fds = descriptors(start.keepBytes ?? Infinity, {
            wrote: (number, data, length) => this.wrote(number, data, length),
            reply: (line) => this.reply(line),
            waits: () => this.waits(),
        });
        this.given = start.files ?? {};
        this.root = new Root("/", tree(this.given));
        this.contexts = new Contexts((error) => this.stopped(error));
        this.wasi = new WASI(start.args ?? ["program"],
            Object.entries(start.env ?? {}).map((pair) => pair.join("=")),
            [...Object.values(this.fds), this.root], {debug: false});
    }

    async begin(module) {
        const {wasiImport} = this.wasi, read = wasiImport.fd_read;
        this.instance = await WebAssembly.instantiate(module, {
            lab: this.contexts.imports(),
            wasi_snapshot_preview1: {
                ...wasiImport,
                fd_read: new WebAssembly.Suspending((fd, ...rest) => {
                    const wait = fd === 3 ? this.fds.commands.ready() : null;
                    return wait ? wait.then(() => read(fd, ...rest))
                                : read(fd, ...rest);
                }),
            },
        });
        this.wasi.inst = this.instance;
        this.contexts.use(this.instance);
        try {
            await WebAssembly.promising(this.instance.exports._start)();
            this.end("exit", 0);
        } catch (error) {
            this.stopped(error);
        }
    }

    /* Frames are gone: by exit(), by a signal of its own, or by a trap, after
     * which a kernel's end may let the host go on. */
    stopped(error) {
        if (this.#over)
            return;
        if (error instanceof WASIProcExit)
            return this.end("exit", error.code);
        if (error instanceof Ended)
            return this.end(error.kind, error.code);
        const {signal, full: noFrames} = signalOf(error);
        const stack = this.instance.exports.__stack_pointer;
        const full = noFrames || stack.value < NOBODYS;
        if (full)
            stack.value = AGAIN; /* nobody needs what lies there any more */
        try {
            const next = this.instance.exports.vgpu_trapped(signal, full);
            if (next)
                return this.contexts.go(next);
        } catch (again) {
            if (again instanceof Ended)
                return this.end(again.kind, again.code);
        }
        return this.end("signal", signal);
    }

    end(kind, code) {
        if (this.#over)
            return;
        this.#over = true;
        postMessage({end: {kind, code}, files: this.files()});
    }

    wrote(number, data, length) {
        if (this.#over)
            return;
        if (data.length)
            postMessage({wrote: number, data}, [data.buffer]);
        this.#written += number === 7 ? 0 : length;
        if (this.#written > this.floodBytes)
            throw new Ended("flood", 0);
    }

    ask({ask, input, room}) {
        const wanted = /\boutput=(\d+)/.exec(ask);
        this.#output = wanted ? Number(wanted[1]) : 0;
        const size = room ?? Math.max(input?.length ?? 0, this.#output);
        this.fds.input.data = input ?? new Uint8Array(size);
        if (this.fds.input.data.length < size) {
            this.fds.input.data = new Uint8Array(size);
            this.fds.input.data.set(input ?? []);
        }
        this.fds.input.at = 0;
        this.fds.output.data = new Uint8Array(size);
        this.fds.commands.give(ask);
    }

    reply(line) {
        const output = this.#output
            ? this.fds.output.data.slice(0, this.#output) : null;
        postMessage({reply: line, output}, output ? [output.buffer] : []);
    }

    waits() {
        const {__stack_pointer: place, vgpu_threads_left: threads} =
            this.instance.exports;
        postMessage({wait: (place?.value ?? 0) >>> 0, threads: threads?.() ?? 1});
    }

    /* What it wrote. */
    files() {
        const found = {};
        const look = (folder, name) => {
            for (const [part, entry] of folder.contents) {
                const path = name + part;
                if (entry instanceof Directory)
                    look(entry, `${path}/`);
                else if (!(entry instanceof Nothing) &&
                         !same(entry.data, this.given[path]))
                    found[path] = entry.data.slice();
            }
        };
        look(this.root.dir, "/");
        return found;
    }
}

function same(a, b) {
    return b && a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/* Folders and files by paths that begin with a slash. */
function tree(files) {
    const top = new Map([["tmp", new Directory(new Map())],
        ["dev", new Directory(new Map([["null", new Nothing([])]]))]]);
    for (const [path, data] of Object.entries(files)) {
        const parts = path.split("/").filter(Boolean), name = parts.pop();
        let at = top;
        for (const part of parts) {
            if (!at.has(part))
                at.set(part, new Directory(new Map()));
            at = at.get(part).contents;
        }
        at.set(name, new File(data));
    }
    return top;
}

onmessage = ({data}) => {
    if (data.module) {
        run = new Run(data);
        run.begin(data.module).catch((error) => {
            console.error(error);
            postMessage({end: {kind: "signal", code: 6}, files: {}});
        });
    } else if (data.ping) {
        postMessage({pong: data.ping, asleep: run?.contexts.asleep ?? false});
    } else {
        run.ask(data);
    }
};
