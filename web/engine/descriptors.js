/*
 * descriptors.js: what a program finds on its descriptors: 0 to 2 as usual, and
 * those of the grader's talk (docs/architecture.md): 3 commands, 4 answers,
 * 5 input, 6 output, 7 reports.
 */
import {Fd, wasi} from "@bjorn3/browser_wasi_shim";

const REPORTS_MOST = 1 << 20;

/* The C library looks for folders from descriptor 3 on, to the first that is
 * not there: these are, and are none. */
const noFolder = {
    write_bytes(view, at) {
        view.setUint32(at, 1, true);
        view.setUint32(at + 4, 0, true);
    },
};

export class Pipe extends Fd {
    fd_fdstat_get() {
        const kind = wasi.FILETYPE_UNKNOWN;
        return {ret: 0, fdstat: new wasi.Fdstat(kind, 0)};
    }
    fd_filestat_get() {
        return {ret: 0,
                 filestat: new wasi.Filestat(0n, wasi.FILETYPE_UNKNOWN, 0n)};
    }
    fd_prestat_get() {
        return {ret: 0, prestat: noFolder};
    }
    fd_seek() {
        return {ret: wasi.ERRNO_SPIPE, offset: 0n};
    }
    fd_read() {
        return {ret: 0, data: new Uint8Array()};
    }
    fd_write(data) {
        return {ret: 0, nwritten: data.length};
    }
}

/* What is written goes out at once: a program that is ended later has said it.
 * Of a flood the beginning is kept. */
class Written extends Pipe {
    constructor(number, most, post) {
        super();
        this.number = number;
        this.left = most;
        this.post = post;
    }
    fd_write(data) {
        const keep = data.slice(0, Math.max(0, this.left));
        this.left -= data.length;
        this.post(this.number, keep, data.length);
        return {ret: 0, nwritten: data.length};
    }
}

/* Lines, each sent when it is whole. */
class Lines extends Pipe {
    constructor(send) {
        super();
        this.send = send;
        this.text = "";
        this.decoder = new TextDecoder();
    }
    fd_write(data) {
        const lines = (this.text + this.decoder.decode(data, {stream: true}))
            .split("\n");
        this.text = lines.pop();
        lines.forEach(this.send);
        return {ret: 0, nwritten: data.length};
    }
}

/* A file in memory that the grader and the program share. */
class Shared extends Pipe {
    constructor() {
        super();
        this.data = new Uint8Array();
        this.at = 0;
    }
    fd_filestat_get() {
        const kind = wasi.FILETYPE_REGULAR_FILE, size = BigInt(this.data.length);
        return {ret: 0, filestat: new wasi.Filestat(0n, kind, size)};
    }
    fd_read(size) {
        const data = this.data.subarray(this.at, this.at + size);
        this.at += data.length;
        return {ret: 0, data};
    }
    fd_pread(size, offset) {
        const at = Number(offset);
        return {ret: 0, data: this.data.subarray(at, at + size)};
    }
    fd_pwrite(data, offset) {
        const at = Number(offset);
        const part = data.subarray(0, Math.max(0, this.data.length - at));
        this.data.set(part, at);
        return {ret: 0, nwritten: part.length};
    }
}

/* Commands: read() gives bytes, or a promise of some. */
class Commands extends Pipe {
    constructor(waits) {
        super();
        this.waits = waits;
        this.bytes = new Uint8Array();
        this.wake = null;
    }
    give(text) {
        const more = new TextEncoder().encode(text);
        const all = new Uint8Array(this.bytes.length + more.length);
        all.set(this.bytes);
        all.set(more, this.bytes.length);
        this.bytes = all;
        this.wake?.();
        this.wake = null;
    }
    ready() {
        if (this.bytes.length)
            return null;
        this.waits();
        return new Promise((resolve) => { this.wake = resolve; });
    }
    fd_read(size) {
        const data = this.bytes.slice(0, size);
        this.bytes = this.bytes.slice(size);
        return {ret: 0, data};
    }
}

/* on: {wrote(number, bytes, length), reply(line), waits()}. */
export function descriptors(keepBytes, on) {
    const wrote = (number, bytes, length) => on.wrote(number, bytes, length);
    return {
        in: new Pipe(),
        out: new Written(1, keepBytes, wrote),
        err: new Written(2, keepBytes, wrote),
        commands: new Commands(on.waits),
        replies: new Lines(on.reply),
        input: new Shared(),
        output: new Shared(),
        reports: new Written(7, REPORTS_MOST, wrote),
    };
}
