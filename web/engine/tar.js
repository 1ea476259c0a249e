/*
 * tar.js: an archive as a tree of files in memory.
 */
import {Directory} from "@bjorn3/browser_wasi_shim";
import {makeFolder, write} from "./tree.js";

const text = new TextDecoder();

function field(header, at, size) {
    const bytes = header.subarray(at, at + size);
    const end = bytes.indexOf(0);
    return text.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/*
 * Files and folders of @bytes, an archive in ustar's or GNU's format, as a
 * Directory. Links and other things are left out.
 */
export function unpack(bytes) {
    const root = new Directory(new Map());
    let long = null; /* GNU's name of the next one, where 100 bytes are few */

    for (let at = 0; at + 512 <= bytes.length && bytes[at];) {
        const header = bytes.subarray(at, at + 512);
        const size = parseInt(field(header, 124, 12), 8) || 0;
        const data = bytes.subarray(at + 512, at + 512 + size);
        const kind = String.fromCharCode(header[156]);
        const prefix = field(header, 257, 5) === "ustar" && header[263] === 48
            ? field(header, 345, 155) : "";
        const name = long ?? (prefix ? `${prefix}/` : "") +
            field(header, 0, 100);
        const path = name.split("/").filter((part) => part && part !== ".");

        at += 512 + Math.ceil(size / 512) * 512;
        long = kind === "L" ? field(data, 0, size) : null;
        if (kind === "5")
            makeFolder(root, path.join("/"));
        else if ((kind === "0" || kind === "\0") && path.length)
            write(root, path.join("/"), data);
    }
    return root;
}
