/*
 * tree.js: the engine's files, in memory: the course's below /lab, as in the
 * repository. Directories and files are those of browser_wasi_shim, so that
 * every program of the engine sees the same ones.
 */
import {Directory, File, PreopenDirectory, wasi}
  from "@bjorn3/browser_wasi_shim";

export const HOME = "/lab";
const ALL_RIGHTS = (1n << 30n) - 1n;

/* Its names, with "." and ".." as they are meant. */
function parts(path) {
  const names = [];
  for (const name of path.split("/")) {
    if (name === "..") {
      names.pop();
    } else if (name && name !== ".") {
      names.push(name);
    }
  }
  return names;
}

/** What is there, or null. */
export function find(root, path) {
  let at = root;
  for (const part of parts(path)) {
    at = at instanceof Directory ? at.contents.get(part) : undefined;
  }
  return at ?? null;
}

/** The folder, made where it is not there. */
export function makeFolder(root, path) {
  let at = root;
  for (const part of parts(path)) {
    if (!at.contents.has(part)) {
      at.contents.set(part, new Directory(new Map()));
    }
    at = at.contents.get(part);
  }
  return at;
}

function put(root, path, entry) {
  const names = parts(path);
  const name = names.pop();
  makeFolder(root, names.join("/")).contents.set(name, entry);
}

/* A file that knows when it was made. The shim's own Filestat (0.4.2) would put
 * a time where its size is. */
class Dated extends File {
  #time = BigInt(Date.now()) * 1000000n;

  stat() {
    const stat = super.stat(), time = this.#time;
    stat.write_bytes = (view, at) => {
      stat.constructor.prototype.write_bytes.call(stat, view, at);
      view.setBigUint64(at + 32, stat.size, true);
      for (const offset of [40, 48, 56]) {
        view.setBigUint64(at + offset, time, true);
      }
    };
    return stat;
  }
}

/** Write a file, and the folders above it. data: text or bytes. */
export function write(root, path, data) {
  const file = new Dated([]);
  file.data = typeof data === "string" ? new TextEncoder().encode(data) : data;
  put(root, path, file);
}

/** A file's bytes, or null. */
export function read(root, path) {
  const entry = find(root, path);
  return entry instanceof File ? entry.data : null;
}

export function readText(root, path) {
  const bytes = read(root, path);
  return bytes && new TextDecoder().decode(bytes);
}

export function remove(root, path) {
  const names = parts(path);
  const name = names.pop();
  const folder = find(root, names.join("/"));
  return folder instanceof Directory && folder.contents.delete(name);
}

/** The same files, but only those in these places: what a fence shows. What is
 * written in a folder of them is written in the tree. */
export function view(root, places) {
  const seen = new Directory(new Map());
  for (const place of places) {
    const entry = find(root, place);
    if (entry) {
      put(seen, place, entry);
    }
  }
  makeFolder(seen, "/tmp");
  return seen;
}

/** A tree, or a part of it, as a descriptor that programs begin with. What a
 * shim leaves out and wasi-libc asks for is here: rights, and what realpath()
 * wants to hear of names that are no links. self: what /proc/self/exe is. */
export class Opened extends PreopenDirectory {
  #self;

  constructor(name, directory, self = null) {
    super(name, directory.contents);
    this.#self = self;
  }

  fd_fdstat_get() {
    const {ret, fdstat} = super.fd_fdstat_get();
    fdstat.fs_rights_base = fdstat.fs_rights_inherited = ALL_RIGHTS;
    return {ret, fdstat};
  }

  path_readlink(path) {
    if (this.#self && path === "proc/self/exe") {
      return {ret: wasi.ERRNO_SUCCESS, data: this.#self};
    }
    return {ret: wasi.ERRNO_INVAL, data: null};
  }
}
