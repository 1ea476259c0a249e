/* frame.js: a page that `timeline --html` wrote, shown within the site
 *
 * The page around this frame sends the text. Its words, its hazards and its
 * data are taken over; its scripts and styles are not, since the site allows
 * none inside of a page: timeline.js and timeline.css are the same ones as
 * files. One text for each frame: the next one gets a new frame.
 */

/* Style elements are refused as soon as they are parsed, so they go before. The
 * first is timeline.css again; that of the picture for print is kept as a
 * sheet. */
function withoutStyles(text) {
  const end = text.indexOf("<script");
  return text.slice(0, end).replace(/<style>([^]*?)<\/style>/g, (_, style) => {
    if (style.includes(".tl-")) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets.push(sheet);
    }
    return "";
  }) + text.slice(end);
}

/* The picture for print is markup in a <noscript>: text to timeline's script,
 * but elements to a parser that runs none. */
function keepPicture(page) {
  const without = page.querySelector("noscript");
  if (without) {
    without.textContent = without.innerHTML;
  }
}

function show(text, title) {
  const page = new DOMParser().parseFromString(withoutStyles(text),
    "text/html");
  if (!page.getElementById("data")) {
    document.body.textContent = "This timeline cannot be read.";
    return;
  }
  keepPicture(page);
  for (const script of page.querySelectorAll("script:not(#data)")) {
    script.remove();
  }
  page.querySelector("h1")?.remove(); // the page around has one
  document.title = title;
  document.body.replaceChildren(...page.body.childNodes);
  const script = document.createElement("script");
  script.src = "timeline.js";
  document.body.append(script);
}

/* The page around makes room for all of it. */
function tellHeight() {
  parent.postMessage({timelineHeight: document.documentElement.offsetHeight},
    location.origin);
}

addEventListener("message", (event) => {
  if (event.source === parent && event.origin === location.origin &&
      typeof event.data?.timeline === "string") {
    show(event.data.timeline, event.data.title || "Timeline");
    new ResizeObserver(tellHeight).observe(document.body);
  }
}, {once: true});
parent.postMessage({timelineReady: true}, location.origin);
