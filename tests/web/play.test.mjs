/* play.test.mjs: the playground, links that hold a program, and predictions
 * within a text, beside an engine that answers from a record (mocked.mjs) */
import {axe, check, editorText, fresh, press, run, same, says, shots,
  startsWith, test, which} from "./in_page.mjs";

await run(async ({browser, address}) => {
  const play = (name, body, {hash = "", ...options} = {}) => test(name, () =>
    fresh(browser, address("play/index.html" + hash), options,
      async (page) => {
        await page.waitForSelector("#playground .editor");
        await body(page);
      }));

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
