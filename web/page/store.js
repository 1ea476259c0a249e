/* store.js: what a student would not want to lose, kept by the browser
 *
 * IndexedDB "cuda-streams-lab":
 *   files  lab -> {lab, text, flags, base, changed}: the student's file, and
 *          the compiler's options where the lab has such a file; base is the
 *          skeleton that it was begun from, so that a newer one can be offered
 *   kept   {lab, when, why, text}: what a reset, an import or another tab
 *          replaced, the last KEPT of each lab
 *   state  "progress/08_name", "hints/08", "quiz/08", "name": as build/state
 *          has them for make
 *
 * Where there is no storage (a private window, a policy), all of it is kept in
 * memory, and store.trouble says so for the page to show.
 */
const NAME = "cuda-streams-lab", VERSION = 1, KEPT = 20;

function promised(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/* Old data stays: a later version adds stores and never deletes one. */
function open() {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    const db = request.result, has = db.objectStoreNames;
    if (!has.contains("files")) {
      db.createObjectStore("files", {keyPath: "lab"});
    }
    if (!has.contains("kept")) {
      db.createObjectStore("kept", {autoIncrement: true})
        .createIndex("lab", "lab");
    }
    if (!has.contains("state")) {
      db.createObjectStore("state");
    }
  };
  return promised(request);
}

/** The words for an error of the storage. */
export function storageWords(error) {
  return error?.name === "QuotaExceededError" ?
    "The browser's storage is full: your last change is not kept. Export " +
    "your file, or make room." :
    "This browser keeps nothing for this site" +
    (error?.message ? ` (${error.message})` : "") +
    ": what you write is lost when the tab is closed. Export your file.";
}

class Memory {
  files = new Map();
  state = new Map();
  old = [];
  async file(lab) {
    return this.files.get(lab);
  }
  async putFile(file) {
    this.files.set(file.lab, file);
  }
  async removeFile(lab) {
    this.files.delete(lab);
  }
  async keep(kept) {
    this.old.push(kept);
  }
  async kept(lab) {
    return this.old.filter((k) => k.lab === lab);
  }
  async get(key) {
    return this.state.get(key);
  }
  async put(key, value) {
    this.state.set(key, value);
  }
}

class Store {
  trouble = null;
  #memory = new Memory();
  #db;

  constructor(db) {
    this.#db = db;
  }

  /* What fails is done in memory, so that the page goes on. */
  async #do(mode, names, work, otherwise) {
    if (!this.#db) {
      return otherwise();
    }
    try {
      const transaction = this.#db.transaction(names, mode);
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      done.catch(() => {}); // it is awaited below, unless work fails first
      const result = await work(transaction);
      await done;
      if (mode === "readwrite") {
        this.trouble = null;
      }
      return result;
    } catch (error) {
      this.trouble = storageWords(error);
      return otherwise();
    }
  }

  file(lab) {
    return this.#do("readonly", ["files"], (t) =>
      promised(t.objectStore("files").get(lab)),
    () => this.#memory.file(lab));
  }
  /* commit() at once: a tab that is closed now would abort what still waits to
   * hear of its success. */
  putFile(file) {
    return this.#do("readwrite", ["files"], (t) => {
      const put = promised(t.objectStore("files").put(file));
      t.commit();
      return put;
    }, () => this.#memory.putFile(file));
  }
  removeFile(lab) {
    return this.#do("readwrite", ["files"], (t) =>
      promised(t.objectStore("files").delete(lab)),
    () => this.#memory.removeFile(lab));
  }
  keep(kept) {
    return this.#do("readwrite", ["kept"], async (t) => {
      const store = t.objectStore("kept");
      await promised(store.add(kept));
      const keys = await promised(store.index("lab").getAllKeys(kept.lab));
      for (const key of keys.slice(0, -KEPT)) {
        store.delete(key);
      }
    }, () => this.#memory.keep(kept));
  }
  kept(lab) {
    return this.#do("readonly", ["kept"], (t) =>
      promised(t.objectStore("kept").index("lab").getAll(lab)),
    () => this.#memory.kept(lab));
  }
  get(key) {
    return this.#do("readonly", ["state"], (t) =>
      promised(t.objectStore("state").get(key)),
    () => this.#memory.get(key));
  }
  put(key, value) {
    return this.#do("readwrite", ["state"], (t) =>
      promised(t.objectStore("state").put(value, key)),
    () => this.#memory.put(key, value));
  }
}

/** The store; opened once for each page. */
export async function openStore() {
  try {
    return new Store(await open());
  } catch (error) {
    const store = new Store(null);
    store.trouble = storageWords(error);
    return store;
  }
}
