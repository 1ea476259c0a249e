/* page.test.mjs: the lab's page and the playground, beside an engine that
 * answers from a record (mocked.mjs): what a student sees, what is kept, and
 * what is said where something is missing. */
import {createHash} from "node:crypto";
import {readFileSync} from "node:fs";
import {makeMocked} from "./mocked.mjs";

makeMocked(); // says which folder the harness serves
const {check, onPage, run, same, shots, test, which} =
  await import("./harness.mjs");

const LAB = "labs/08_uneven_chunks/index.html";
const recorded = JSON.parse(readFileSync("build/web-recorded.json", "utf8"));
const labs = recorded.filter((r) => r.do === "grade").map((r) => r.text);
const [skeleton, solution, unsynced, misspelt] = labs;

/* ---- in the page ---- */

const ready = (page) => page.waitForFunction(() =>
  document.querySelector("#lab-state")?.textContent);
const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent);
const press = (page, words) => page.evaluate((wanted) => {
  const button = [...document.querySelectorAll("button")]
    .find((b) => b.textContent === wanted && !b.disabled);
  if (!button) {
    throw new Error("no button " + wanted);
  }
  button.click();
}, words);
const says = (page, selector, words) => page.waitForFunction((s, w) =>
  [...document.querySelectorAll(s)].some((e) => e.textContent.includes(w)),
{timeout: 15000}, selector, words);
/* The lines that are drawn are enough for texts as short as these. */
const editorText = (page) => page.evaluate(() =>
  [...document.querySelector(".editor").shadowRoot
    .querySelectorAll(".cm-line")].map((l) => l.textContent).join("\n"));
const choose = (page, text, name) => page.evaluate((t, n) => {
  const picker = document.querySelector("input[type=file]");
  const files = new DataTransfer();
  files.items.add(new File([t], n));
  picker.files = files.files;
  picker.dispatchEvent(new Event("change"));
}, text, name);
const take = async (page, text) => {
  await choose(page, text, "lab.cu");
  await says(page, ".note", "lab.cu is imported");
  await press(page, "Close");
};
const startsWith = async (page, begin) => {
  await page.waitForFunction((b) => document.querySelector(".editor")
    ?.shadowRoot?.textContent.includes(b), {}, begin);
};

/* Each page in storage of its own, unless a test goes on with the same. */
async function fresh(browser, address, options, body) {
  const context = await browser.driver.createBrowserContext();
  const own = {open: async (where, how) => {
    const page = await browser.open(where, how);
    return page;
  }};
  try {
    await onPage(own, address, {...options, prepare: async (page) => {
      await page.evaluateOnNewDocument(() => {
        // A test begins with nothing kept; the page between two has no origin.
        if (location.protocol !== "about:" &&
            !sessionStorage.getItem("begun")) {
          sessionStorage.setItem("begun", "1");
          indexedDB.deleteDatabase("cuda-streams-lab");
        }
      });
      await options.prepare?.(page);
    }}, body);
  } finally {
    await context.close();
  }
}

async function axe(page, where) {
  await page.evaluate(readFileSync(
    "tests/web/node_modules/axe-core/axe.min.js", "utf8"));
  const found = await page.evaluate(() => axe.run(document, {iframes: false})
    .then(({violations}) => violations.filter((v) =>
      ["serious", "critical"].includes(v.impact)).map((v) =>
      `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 2).join(" ")}`)));
  same(found, [], where);
}

await run(async ({browser, address}) => {
  const lab = (name, body, options = {}) => test(name, () =>
    fresh(browser, address(LAB), options, async (page) => {
      await ready(page);
      await body(page);
    }));
  const play = (name, body, {hash = "", ...options} = {}) => test(name, () =>
    fresh(browser, address("play/index.html" + hash), options,
      async (page) => {
        await page.waitForSelector("#playground .editor");
        await body(page);
      }));

  await lab("the first screen needs no engine, 2 s and 2 MB", async (page) => {
    const {ms, text} = await page.evaluate(() => ({
      ms: performance.getEntriesByName("lab-ready")[0].startTime,
      text: document.querySelector("#workbench").textContent}));
    check(ms < (which === "chromium" ? 2000 : 5000), `usable after ${ms} ms`);
    console.log(`# usable after ${Math.round(ms)} ms`);
    check(text.includes("Run"), "no Run button");
    check(!page.sent.some(({url}) => url.includes("/engine/")), "an engine");
    const bytes = await page.evaluate(() => performance.getEntriesByType(
      "resource").reduce((sum, e) => sum + e.decodedBodySize, 0));
    check(bytes < 2e6, `${bytes} bytes`);
    await startsWith(page, "lab.cu: any number of entries");
  });

  await lab("what is typed is there after a reload", async (page) => {
    await page.evaluate(() => document.querySelector(".editor").shadowRoot
      .querySelector(".cm-content").focus());
    await page.keyboard.type("// mine");
    await page.reload();
    await ready(page);
    await startsWith(page, "// mine");
    same(await textOf(page, "#lab-state"), "begun", "state");
  });

  await lab("a grade: diagnosis, link, checks, attempts", async (page) => {
    await press(page, "Grade");
    await says(page, ".verdict", "not passed: 5 of 100 points");
    await says(page, ".diagnosis", "TODO 1 is the first that is still open");
    same(await page.$eval(".diagnosis a", (a) => a.getAttribute("href")),
      "#what-to-do", "the link");
    check(await page.$("#what-to-do"), "the README has no such heading");
    await says(page, ".grade td", "not tried");
    await says(page, "#lab-state", "best 5 of 100 points, 1 attempt");
    const rows = await page.$$eval(".grade tbody tr", (r) => r.length);
    same(rows, JSON.parse(recorded[1].answer.json).labs[0].checks.length,
      "rows");
    await page.screenshot({path: `${shots}/lab-grade-${which}.png`});
    await axe(page, "after a grade");
  });

  await lab("a run: words, timeline, a hazard at its line", async (page) => {
    await take(page, unsynced);
    await press(page, "Run");
    await says(page, "[role=tabpanel]:not([hidden])", "does not wait for all");
    const frame = await (await page.waitForSelector("iframe.timeline"))
      .contentFrame();
    await frame.waitForSelector("#frame:not([hidden])");
    await frame.waitForSelector("#hazards .hazard");
    check(await frame.$eval("#canvas", (c) => c.getContext("2d")
      .getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)),
    "the canvas is empty");
    await page.waitForFunction(() => document.querySelector(".editor")
      .shadowRoot.querySelector(".cm-lint-marker-error"));
    await page.waitForFunction(() => document.querySelector("iframe.timeline")
      .offsetHeight > 500);
    await page.screenshot({path: `${shots}/lab-run-${which}.png`});
  });

  await lab("a compiler's error is at its line", async (page) => {
    await take(page, misspelt);
    await press(page, "Run");
    await says(page, ".status", "1 mark in your file");
    const words = await page.evaluate(() => document.querySelector(".editor")
      .shadowRoot.querySelector(".cm-lintRange-error").textContent);
    check(words.includes("cudaMemcpyAsnc"), words);
  });

  await lab("hints, one after another, and remembered", async (page) => {
    await press(page, "Hints");
    await says(page, ".hints p", "TODO 1: the size of a chunk");
    await press(page, "The first hint");
    await says(page, ".hint h3", "Lab 08, TODO 1, hint 1 of 3: Nudge");
    await press(page, "Try that first. The next hint");
    await says(page, ".hint h3", "hint 2 of 3: Pointer");
    await page.reload();
    await ready(page);
    await take(page, skeleton.replace("TODO 1:", "done:"));
    await press(page, "Hints");
    await says(page, ".hints > p", "TODO 2");
    same((await page.$$(".hint")).length, 2, "hints seen");
  });

  await lab("the quiz, all right, and its score", async (page) => {
    await press(page, "Quiz");
    for (let q = 1; q <= 6; q++) {
      await says(page, ".quiz legend", `Question ${q} of 6`);
      // The right answers: those of the page's own data.
      await page.evaluate(async () => {
        const lab = await (await fetch(
          "../../data/labs/08_uneven_chunks.json")).json();
        const plain = (html) => new DOMParser().parseFromString(html,
          "text/html").body.textContent.trim();
        const asked = document.querySelector(".quiz legend").textContent;
        const question = lab.quiz.questions[asked.match(/\d+/)[0] - 1];
        for (const label of document.querySelectorAll(".quiz label")) {
          label.querySelector("input").checked = question.answers.some((a) =>
            a.right && plain(a.html) === label.textContent.trim());
        }
      });
      await press(page, "Answer");
      await says(page, ".quiz p[role=status]", "Right.");
      await page.evaluate(() =>
        document.querySelector(".quiz form > button").click());
    }
    await says(page, ".quiz > p", "6 of 6 right.");
    await axe(page, "after the quiz");
  });

  await lab("the solution only after passing", async (page) => {
    await press(page, "Solution");
    await says(page, "[role=tabpanel]", "once your file has passed");
    check(!page.sent.some(({url}) => url.includes("solutions/")), "fetched");
    await take(page, solution);
    await press(page, "Grade");
    await says(page, ".verdict.passed", "passed: 100 of 100 points");
    await press(page, "Solution");
    await says(page, "[role=tabpanel]", "cudaStreamSynchronize");
    await page.goto(address("labs/index.html"));
    await says(page, "[data-lab='08_uneven_chunks'] .lab-state",
      "passed, 100 of 100 points");
  });

  await lab("a sweep: the table and the picture", async (page) => {
    await take(page, solution);
    await press(page, "Sweep");
    await says(page, ".sweep tr.best", "1.128 ms");
    same((await page.$$("svg.sweep .dot")).length, 7, "dots");
  });

  await lab("reset asks, and keeps the old text", async (page) => {
    await take(page, "// my own work\n");
    await startsWith(page, "// my own work");
    await press(page, "Reset to the skeleton");
    await page.waitForSelector("dialog[open]");
    await press(page, "Cancel");
    await startsWith(page, "// my own work");
    await press(page, "Reset to the skeleton");
    await page.waitForSelector("dialog[open]");
    await press(page, "Reset");
    await startsWith(page, "TODO 1");
    await press(page, "Older texts");
    await says(page, ".older pre", "// my own work");
    await press(page, "Take this text back");
    await startsWith(page, "// my own work");
  });

  await lab("what is no text is not imported", async (page) => {
    await choose(page, "a\0b", "lab.o");
    await says(page, ".note", "lab.o is no text");
    await startsWith(page, "TODO 1");
  });

  await lab("a newer skeleton is offered, not forced", async (page) => {
    await page.evaluate(() => new Promise((done) => {
      indexedDB.open("cuda-streams-lab").onsuccess = ({target}) => {
        const t = target.result.transaction("files", "readwrite");
        t.objectStore("files").put({lab: "08_uneven_chunks", base: "older",
          text: "// my old work\n", changed: ""});
        t.oncomplete = done;
      };
    }));
    await page.reload();
    await ready(page);
    await startsWith(page, "// my old work");
    await says(page, ".note", "newer skeleton");
    await press(page, "Keep mine");
    await page.reload();
    await ready(page);
    await startsWith(page, "// my old work");
    check(!await page.$(".note"), "asked again");
  });

  await lab("the export: a file with its sum", async (page) => {
    await page.evaluate(() => {
      URL.createObjectURL = (blob) => {
        window.exported = blob;
        return "#";
      };
    });
    await press(page, "Grade");
    await says(page, "summary", "Hand this in");
    await page.$eval("summary + p + label input", (i) => {
      i.value = "Ada";
    });
    await press(page, "Export the result");
    await page.waitForFunction(() => window.exported);
    const {sum, ...parts} = JSON.parse(
      await page.evaluate(() => window.exported.text()));
    same([parts.name, parts.lab, parts.text], ["Ada", "08_uneven_chunks",
      skeleton], "fields");
    same(sum, createHash("sha256").update(Object.values(parts).join("\n"))
      .digest("hex"), "sum");
  });

  for (const word of ["MOCK_LOOP", "MOCK_BUSY"]) {
    await lab(`Stop ends what does not end (${word})`, async (page) => {
      await take(page, `// ${word}\n`);
      await press(page, "Run");
      await says(page, ".status", "Compiling");
      await press(page, "Stop");
      await says(page, ".status", "Stopped.");
      await take(page, skeleton);
      await press(page, "Grade");
      await says(page, ".verdict", "not passed");
    });
  }

  await test("an engine that dies is said, and starts anew", () =>
    fresh(browser, address(LAB), {}, async (page) => {
      await ready(page);
      await take(page, "// MOCK_DIE\n");
      await press(page, "Run");
      await says(page, ".status.bad", "The engine broke off");
      await take(page, skeleton);
      await press(page, "Grade");
      await says(page, ".verdict", "not passed");
      page.problems = page.problems.filter((p) => !p.includes("memory"));
    }));

  await lab("a flood of output is cut", async (page) => {
    await take(page, "// MOCK_FLOOD\n");
    await press(page, "Run");
    await says(page, ".output", "more characters are not shown");
  });

  await lab("without JSPI it says so; the rest goes on", async (page) => {
    await says(page, ".note.bad", "promise integration (JSPI) is missing");
    await press(page, "Run");
    await says(page, ".status.bad", "JSPI");
    await press(page, "Hints");
    await press(page, "The first hint");
    await says(page, ".hint h3", "hint 1 of 3");
  }, {prepare: (page) => page.evaluateOnNewDocument(() => {
    delete WebAssembly.Suspending;
  })});

  await lab("without storage it says so", async (page) => {
    await says(page, ".note.bad", "keeps nothing for this site");
    await press(page, "Grade");
    await says(page, "#lab-state", "1 attempt");
  }, {prepare: (page) => page.evaluateOnNewDocument(() => {
    indexedDB.open = () => {
      throw new DOMException("not here", "SecurityError");
    };
  })});

  await lab("a full storage says so, with an export", async (page) => {
    await choose(page, "// more\n", "lab.cu");
    await says(page, ".note.bad", "storage is full");
    await says(page, ".note button", "Export");
  }, {prepare: (page) => page.evaluateOnNewDocument(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  })});

  await lab("by keys alone: into the editor, out of it, Run", async (page) => {
    await page.evaluate(() => document.querySelector(".editor").shadowRoot
      .querySelector(".cm-content").focus());
    await page.keyboard.press("Tab");
    check(await page.evaluate(() => document.activeElement.shadowRoot),
      "Tab left the editor");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    check(await page.evaluate(() => !document.activeElement.shadowRoot),
      "Escape and Tab did not leave it");
    await page.focus("#tab-run");
    await page.keyboard.press("ArrowRight");
    same(await page.evaluate(() => document.activeElement.id), "tab-grade",
      "the next tab");
  });

  for (const [width, height] of [[1440, 900], [768, 1024], [390, 844]]) {
    await lab(`${width} wide: nothing to serious, no side scroll`,
      async (page) => {
        same(await page.evaluate(() => getComputedStyle(
          document.querySelector("#readme")).display === "none"), false,
        "README hidden");
        if (width < 1100) {
          await press(page, "Work");
        }
        check(await page.evaluate(() => document.documentElement.scrollWidth <=
          innerWidth), "wider than the window");
        await page.screenshot({path: `${shots}/lab-${width}-${which}.png`});
        await axe(page, "the lab");
      }, {width, height});
  }

  /* ---- the playground ---- */

  await play("a slider writes into the program", async (page) => {
    await says(page, ".slider", "streams 4");
    await page.$eval(".slider input[type=range]", (range) => {
      range.value = 5;
      range.dispatchEvent(new Event("input"));
    });
    await startsWith(page, "#define STREAMS       16");
    await says(page, ".slider output", "16");
    await page.waitForFunction(() => location.hash.startsWith("#p1."));
    const kept = await page.evaluate(() => location.href);
    await page.goto(address("labs/index.html"));
    await page.goto(kept);
    await startsWith(page, "#define STREAMS       16");
    await says(page, ".words", "came with the link");
  });

  await play("a run: output, checker's words, timeline", async (page) => {
    await page.select("select", "hazard");
    await press(page, "Run");
    await says(page, ".result", "the sum is 0, and should be 2048");
    await says(page, ".result", "hazard: kernel make and copy");
    const frame = await (await page.waitForSelector("iframe.timeline"))
      .contentFrame();
    await frame.waitForSelector("#hazards .hazard");
    await axe(page, "the playground");
    await page.screenshot({path: `${shots}/play-${which}.png`});
  });

  const evil = "<img src=x onerror=alert(1)>\n</script><script>alert(2)" +
    "</script>\njavascript:alert(3)";
  const hashOf = (page, text) => page.evaluate(async (t) => {
    const packed = new Uint8Array(await new Response(new Blob([t]).stream()
      .pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
    let bytes = "";
    packed.forEach((b) => {
      bytes += String.fromCharCode(b);
    });
    return "#p1." + btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_")
      .replace(/=+$/, "");
  }, text);
  const goTo = (page, hash) => page.evaluate((h) => {
    location.hash = h;
  }, hash);

  await play("a hostile link shows text, and runs nothing", async (page) => {
    const asked = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.message());
      dialog.dismiss();
    });
    await goTo(page, await hashOf(page, JSON.stringify({t: evil,
      d: "<b>k20</b>", g: 1e9})));
    await startsWith(page, "<img src=x onerror=alert(1)>");
    check((await editorText(page)).startsWith(evil), "another text");
    same(await page.$$eval("select", (s) => s.map((x) => x.value)),
      ["", "k20", "1"], "choices");
    check(!page.sent.some(({url}) => url.includes("/engine/")), "it was run");
    same(asked, [], "dialogs");
  });

  await play("damaged links, and one that would unpack to much",
    async (page) => {
      for (const hash of ["#p1.%%%", "#p1.AAAA", "#p1.", await hashOf(page,
        "[]"), await hashOf(page, `{"t": 1}`)]) {
        await goTo(page, hash);
        await says(page, ".status.bad", "The link is damaged");
        await page.evaluate(() => {
          document.querySelector(".status span").textContent = "";
        });
      }
      await goTo(page, await hashOf(page, JSON.stringify(
        {t: " ".repeat(5e6)})));
      await says(page, ".status.bad", "The link is damaged");
      await goTo(page, "#p1." + "A".repeat(40000));
      await says(page, ".status.bad", "too long");
      await startsWith(page, "overlap.cu");
    });

  await test("predict, then press Run", () => fresh(browser,
    address("predict.html"), {}, async (page) => {
      await says(page, ".predict-box", "Predict, then press Run.");
      await press(page, "Run"); // without a number: the form says no
      check(!page.sent.some(({url}) => url.includes("/engine/")), "it was run");
      await page.$eval(".predict-box input", (i) => {
        i.value = "7";
      });
      await press(page, "Run");
      await says(page, ".predict-box p[role=status]", "You said 7, it is ");
      await page.waitForSelector("iframe.timeline");
      await axe(page, "a prediction");
    }));
});
