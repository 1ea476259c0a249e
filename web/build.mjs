/*
 * build.mjs [BUILD [PART...]]: the parts of parts.mjs, or those named, from C
 * sources to BUILD/wasm. What is newer than its sources is left as it is.
 */
import fs from "node:fs";
import path from "node:path";
import {Llvm, root} from "./tools/llvm.mjs";
import {flags, parts} from "./parts.mjs";

process.chdir(root);
const [build = "build", ...wanted] = process.argv.slice(2);
const out = `${build}/wasm`;
const named = (name) => name.replace(/^build:/, `${build}/`);

/* "dir/*.c" and "dir/*" + "/*.c", sorted; no other patterns are used. */
function expand(pattern) {
    const [first, ...rest] = named(pattern).split("/*");
    if (!rest.length)
        return [first];
    const at = fs.readdirSync(first, {withFileTypes: true});
    if (rest.length === 2)
        return at.filter((e) => e.isDirectory()).sort(byName)
            .flatMap((e) => expand(`${first}/${e.name}/*${rest[1]}`));
    return at.filter((e) => e.isFile() && e.name.endsWith(rest[0]))
        .sort(byName).map((e) => `${first}/${e.name}`);
}

function byName(a, b) {
    return a.name < b.name ? -1 : 1;
}

/* x_wasm.c goes before x.c. */
function sources(part) {
    const all = part.sources.flatMap(expand);
    const without = new Set(part.without);
    for (const file of all.filter((f) => f.endsWith("_wasm.c")))
        without.add(file.replace(/_wasm\.c$/, ".c"));
    return all.filter((file) => !without.has(file));
}

function time(file) {
    return fs.statSync(file, {throwIfNoEntry: false})?.mtimeMs ?? 0;
}

/* Made by this command, and after all that it was made from? */
function isFresh(target, command, from) {
    const made = time(target);
    return made && from.every((file) => time(file) && time(file) <= made) &&
        fs.existsSync(`${target}.cmd`) &&
        fs.readFileSync(`${target}.cmd`, "utf8") === command.join("\n");
}

/* What the compiler read: its own file of dependencies, "x.o: a.c b.h \". */
function dependencies(file) {
    if (!fs.existsSync(file))
        return [`${file} is not there`];
    return fs.readFileSync(file, "utf8").replace(/^.*?:/, "")
        .split(/[\s\\]+/).filter((name) => name && !name.startsWith("/usr/"));
}

let llvm; /* opened when the first thing is to be made */

/* Return: whether it stands there now. */
async function make(what, target, command, from) {
    if (isFresh(target, command, from))
        return true;
    fs.mkdirSync(path.dirname(target), {recursive: true});
    fs.rmSync(target, {force: true});
    llvm ??= new Llvm(build);
    const {status, output} = await llvm.run(command);
    console.log(`  ${what.padEnd(5)} ${target}`);
    if (output)
        console.error(output.trimEnd());
    if (status) {
        fs.rmSync(target, {force: true});
        return false;
    }
    fs.writeFileSync(`${target}.cmd`, command.join("\n"));
    return true;
}

async function compile(part, file) {
    const object = `${out}/obj/${file.replace(`${build}/`, "")
        .replace(/\.c$/, ".o")}`;
    const list = object.replace(/o$/, "d");
    const command = ["clang", ...flags, ...(part.flags ?? []),
                     ...part.include.map((dir) => `-I${named(dir)}`),
                     "-MMD", "-MF", list, "-c", file, "-o", object];
    fs.mkdirSync(path.dirname(object), {recursive: true});
    return await make("cc", object, command, dependencies(list)) && object;
}

/* The linker is clang's own, called as clang calls it. */
const LINK = ["wasm-ld", "-m", "wasm32", "-L/usr/lib/wasm32-wasip1"];
const BUILTINS = "/usr/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a";

/* A function that only the native build has would be missed by the first
 * program in a tab: so all of a library is linked once. */
async function makeLibrary(target, objects) {
    const whole = target.replace(/\.a$/, ".whole.wasm");

    return await make("ar", target, ["ar", "rcs", target, ...objects],
                      objects) &&
        make("link", whole, [
            ...LINK, "--no-entry", "--whole-archive", target,
            "--no-whole-archive", "-lc++", "-lc++abi",
            "-lwasi-emulated-getpid", "-lwasi-emulated-signal",
            "-lwasi-emulated-process-clocks", "-lc", BUILTINS, "-o", whole,
        ], [target]);
}

async function makePart(name) {
    const part = parts[name];
    const objects = await Promise.all(sources(part)
        .map((file) => compile(part, file)));
    const target = `${out}/${name}`;
    if (!objects.every(Boolean))
        return false;
    if (name.endsWith(".a"))
        return makeLibrary(target, objects);
    return make("link", target, [
        ...LINK, "--strip-all", "-z", "stack-size=1048576", "--stack-first",
        "/usr/lib/wasm32-wasip1/crt1-command.o", ...objects,
        ...(part.link ?? []), "-lc", BUILTINS, "-o", target], objects);
}

const made = [];
for (const name of wanted.length ? wanted : Object.keys(parts))
    made.push(await makePart(name));
llvm?.close();
process.exitCode = made.every(Boolean) ? 0 : 1;
