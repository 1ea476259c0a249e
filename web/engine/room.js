/*
 * room.js: files in memory that grow without being copied each time.
 */
import {OpenFile} from "@bjorn3/browser_wasi_shim";

/* clang writes without a buffer, a word at a time, and the shim would copy the
 * whole file for each: so a file gets twice the room that it needs. */
OpenFile.prototype.fd_write = function (bytes) {
    const file = this.file;
    const at = Number(this.file_pos);
    const end = at + bytes.length;

    if (file.readonly)
        return {ret: 8, nwritten: 0}; /* EBADF */
    if (end > file.data.length) {
        if (file.room !== file.data.buffer || file.room.byteLength < end) {
            const grown = new Uint8Array(Math.max(2 * end, 4096));
            grown.set(file.data);
            file.room = grown.buffer;
        }
        file.data = new Uint8Array(file.room, 0, end);
    }
    file.data.set(bytes, at);
    this.file_pos = BigInt(end);
    return {ret: 0, nwritten: bytes.length};
};
