/* mock_engine.js: an engine for tests of the page alone: it speaks the messages
 * of web/engine/engine.js and answers with what the native tools said of the
 * same texts (recorded.mjs). Some words in a text make it misbehave. */
let stopped = false, recorded = null;

async function load() {
  recorded ??= await (await fetch(new URL("recorded.json",
    import.meta.url))).json();
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function answer({id, do: what, text = "", lab}) {
  const progress = (words, more = {}) =>
    postMessage({id, progress: words, ...more});
  stopped = false;
  progress("Fetching clang, the compiler", {bytes: 5e6, total: 27e6});
  await load();
  progress("Compiling");
  if (text.includes("MOCK_BUSY")) {
    for (;;); // hears nothing any more, as a compiler does not
  }
  while (text.includes("MOCK_LOOP") && !stopped) {
    await wait(20);
  }
  if (stopped) {
    return {id, stopped: true};
  }
  if (text.includes("MOCK_DIE")) {
    setTimeout(() => {
      throw new Error("out of memory");
    });
    return null;
  }
  if (text.includes("MOCK_FLOOD")) {
    return {id, status: 1, stdout: "flood of words\n".repeat(200000),
      stderr: "", traces: {}};
  }
  const found = recorded.find((r) => r.do === what &&
    (!lab || r.lab === lab) && r.text === text) ||
    recorded.find((r) => r.do === what);
  return {...found.answer, id};
}

onmessage = async ({data}) => {
  if (data.do === "stop") {
    stopped = true;
    return;
  }
  const said = await answer(data);
  if (said) {
    postMessage(said);
  }
};
