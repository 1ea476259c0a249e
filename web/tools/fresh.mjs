/*
 * fresh.mjs: what is newer than all that it was made from.
 */
import fs from "node:fs";
import path from "node:path";

/* The newest time of a file, or of all files below a folder. */
function newest(place) {
    const stat = fs.statSync(place);
    return stat.isDirectory()
        ? Math.max(0, ...fs.readdirSync(place)
            .map((name) => newest(path.join(place, name))))
        : stat.mtimeMs;
}

export function isFresh(target, ...from) {
    const made = fs.statSync(target, {throwIfNoEntry: false})?.mtimeMs;
    return made && from.every((place) => newest(place) <= made);
}
