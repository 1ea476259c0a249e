/* measure.js: runs in a deck's page. The value of the whole file is what the
 * deck's slides are: where something sticks out, which pictures are missing,
 * and what is written there. */
(async () => {
  const MIN_TEXT = 24, MIN_SMALL = 18, SLACK = 1.5;
  const show = document.createElement("style");
  show.textContent = `svg[data-marpit-svg] { content-visibility: visible
    !important; display: block !important; opacity: 1 !important; }
    [data-marpit-fragment] { visibility: visible !important; }`;
  document.head.append(show);
  await document.fonts.ready;
  await Promise.all([...document.images].map((img) =>
    img.decode().catch(() => {})));

  const short = (text) => {
    const words = text.trim().replace(/\s+/g, " ");
    return words.length > 40 ? words.slice(0, 40) + "..." : words;
  };

  /* Lengths are those of a slide of 1280 x 720. */
  function problemsOf(section) {
    const found = [];
    const frame = section.getBoundingClientRect();
    const scale = frame.width / 1280;
    const foot = section.querySelector("footer");
    const bottom = foot ? foot.getBoundingClientRect().top : frame.bottom;

    for (const element of section.querySelectorAll("*")) {
      const box = element.getBoundingClientRect();
      const what = `<${element.localName}> "${short(element.textContent)}"`;
      const limit = foot && foot.contains(element) ? frame.bottom : bottom;
      const out = Math.max(frame.left - box.left, box.right - frame.right,
        frame.top - box.top, box.bottom - limit) / scale;
      if (box.width && box.height && out > SLACK) {
        found.push(`${what} sticks out by ${Math.ceil(out)} px`);
      }
      if (element.scrollWidth > element.clientWidth + SLACK &&
          element.clientWidth && element.localName === "pre") {
        found.push(`${what} is clipped: ${
          element.scrollWidth - element.clientWidth} px too wide`);
      }
      if (element.localName === "img") {
        found.push(...problemsOfImage(element, scale));
      }
    }
    return [...new Set([...found, ...smallText(section)])];
  }

  function problemsOfImage(img, scale) {
    if (!img.complete || !img.naturalWidth) {
      return [`picture "${short(img.alt)}" does not load`];
    }
    const box = img.getBoundingClientRect();
    const drawn = Math.min(box.width / img.naturalWidth,
      box.height / img.naturalHeight) / scale;
    const letters = drawn * Number(img.dataset.letter);
    return letters >= MIN_SMALL ? [] :
      [`picture "${short(img.alt)}": its letters are ${
        letters.toFixed(0)} px, at least ${MIN_SMALL} is needed`];
  }

  function smallText(section) {
    const found = [];
    const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      const size = parseFloat(getComputedStyle(parent).fontSize);
      const least = parent.closest("footer, .source") ? MIN_SMALL : MIN_TEXT;
      if (walker.currentNode.data.trim() && size < least) {
        found.push(`"${short(walker.currentNode.data)}" has letters of ${
          size} px, less than ${least}`);
      }
    }
    return found;
  }

  function wordsOf(section) {
    const copy = section.cloneNode(true);
    copy.querySelectorAll("code, pre, .source").forEach((e) => e.remove());
    const blocks = copy.querySelectorAll("h1, h2, h3, p, li, td, th, footer");
    return [...blocks].map((e) => e.textContent)
      .concat([...section.querySelectorAll("img")].map((img) => img.alt))
      .join("\n");
  }

  const notes = new Map([...document.querySelectorAll(".bespoke-marp-note")]
    .map((note) => [Number(note.dataset.index), note.textContent.trim()]));
  const texts = (section, selector) =>
    [...section.querySelectorAll(selector)].map((e) => e.textContent);
  return [...document.querySelectorAll("svg[data-marpit-svg]")]
    .map((svg, i) => {
      const section = svg.querySelector("section");
      return {classes: [...section.classList],
        heading: section.querySelector("h1, h2")?.textContent || "",
        problems: problemsOf(section), note: notes.get(i) || "",
        words: wordsOf(section),
        shell: texts(section, "pre > code.language-sh").join("\n"),
        pictures: section.querySelectorAll("img").length,
        steps: section.querySelectorAll("[data-marpit-fragment]").length,
        inline: texts(section, ":not(pre) > code"),
        links: [...section.querySelectorAll("a[href]")]
          .map((a) => a.getAttribute("href"))};
    });
})();
