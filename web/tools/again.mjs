/*
 * again.mjs SCRIPT WORD...: run a script of the build, and once more where node
 * died of it: of a program as large as clang node 20 does so now and then. What
 * is made by then stays made.
 */
import {spawnSync} from "node:child_process";

const TRIES = 3;
let status, signal;

for (let i = 0; i < TRIES && (i === 0 || signal); i++)
    ({status, signal} = spawnSync(process.execPath,
        ["--no-warnings", ...process.argv.slice(2)], {stdio: "inherit"}));
process.exitCode = signal ? 1 : status;
