/*
 * command.js: run one of the project's own tools, a WebAssembly command, on the
 * tree, to its end.
 */
import {Fd, OpenFile, File, WASI, WASIProcExit, wasi}
  from "@bjorn3/browser_wasi_shim";
import {HOME, Opened} from "./tree.js";

/* What is written to it is handed on. */
class Sink extends Fd {
  #take;

  constructor(take) {
    super();
    this.#take = take;
  }

  fd_write(data) {
    this.#take(data);
    return {ret: wasi.ERRNO_SUCCESS, nwritten: data.byteLength};
  }

  fd_filestat_get() {
    return {ret: wasi.ERRNO_SUCCESS,
      filestat: new wasi.Filestat(0n, wasi.FILETYPE_SOCKET_STREAM, 0n)};
  }

  fd_fdstat_get() {
    const fdstat = new wasi.Fdstat(wasi.FILETYPE_SOCKET_STREAM, 0);
    fdstat.fs_rights_base = BigInt(wasi.RIGHTS_FD_WRITE);
    return {ret: wasi.ERRNO_SUCCESS, fdstat};
  }
}

/* Bytes as they come, made text at the end. */
class Text {
  #parts = [];

  add = (data) => this.#parts.push(data.slice());

  toString() {
    const decoder = new TextDecoder();
    return this.#parts.map((part) => decoder.decode(part, {stream: true}))
      .join("") + decoder.decode();
  }
}

/**
 * @param module   a WebAssembly.Module with _start
 * @param args     its words, the first one its name
 * @param env      ["NAME=value", ...]
 * @param root     the tree's root
 * @param imports  (command) => module "lab" of its imports. command.memory is
 *                 its memory, command.fds its descriptors
 * Resolves with {status, stdout, stderr}: its exit status and texts. A trap is
 * an Error.
 */
export async function runCommand({module, args, env = [], root,
  imports = () => ({})}) {
  const stdout = new Text(), stderr = new Text();
  const program = new WASI(args, env, [
    new OpenFile(new File([])), new Sink(stdout.add), new Sink(stderr.add),
    new Opened("/", root, `${HOME}/build/bin/${args[0]}`)], {debug: false});
  const command = {fds: program.fds,
    get memory() {
      return program.inst.exports.memory;
    }};
  const instance = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: program.wasiImport, lab: imports(command)});
  let status = 0;

  program.inst = instance;
  try {
    await WebAssembly.promising(instance.exports._start)();
  } catch (error) {
    if (!(error instanceof WASIProcExit)) {
      throw error;
    }
    status = error.code;
  }
  return {status, stdout: String(stdout), stderr: String(stderr)};
}
