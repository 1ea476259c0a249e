/* site.js: what all pages do: work without a network, say when there is a new
 * version, and let the keyboard reach what can be scrolled. */
const root = new URL(document.body.dataset.root, location.href);
const HOUR_MS = 3600e3;

/* Who holds what is not saved yet puts promises into the event's detail. */
async function saved() {
  const saves = [];
  dispatchEvent(new CustomEvent("lab-before-reload", {detail: saves}));
  await Promise.allSettled(saves);
}

function offer(worker) {
  const news = document.getElementById("news");
  const button = document.createElement("button");
  button.textContent = "Reload";
  button.addEventListener("click", async () => {
    await saved();
    worker.postMessage("take over");
  });
  news.replaceChildren("There is a new version of this site. Your work is " +
    "kept. ", button);
  news.hidden = false;
}

async function keepOffline() {
  const container = navigator.serviceWorker;
  const updated = Boolean(container.controller);
  // A page of one version must not get parts of another.
  container.addEventListener("controllerchange", async () => {
    if (updated) {
      await saved();
      location.reload();
    }
  });
  const registration = await container.register(
    new URL("service-worker.js", root), {updateViaCache: "none"});
  const watch = (worker) => {
    const look = () => {
      if (worker.state === "installed" && container.controller) {
        offer(worker);
      }
    };
    worker.addEventListener("statechange", look);
    look();
  };
  // One may have been found before anybody listened.
  [registration.waiting, registration.installing].filter(Boolean)
    .forEach(watch);
  registration.addEventListener("updatefound", () =>
    watch(registration.installing));
  let asked = 0;
  const ask = () => {
    if (!document.hidden && Date.now() - asked > HOUR_MS) {
      asked = Date.now();
      registration.update().catch(() => {});  // no network: later
    }
  };
  // Browsers ask by themselves, but not after each visit.
  ask();
  document.addEventListener("visibilitychange", ask);
}

/* A box that is wider than the page is scrolled by arrow keys once it has the
 * focus. */
function reachBoxes() {
  for (const box of document.querySelectorAll("main pre, main .table")) {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.matches("pre") ? "Code" : "Table");
    } else {
      box.removeAttribute("tabindex");
      box.removeAttribute("role");
      box.removeAttribute("aria-label");
    }
  }
}

// On a narrow page the list of headings is folded up.
const contents = document.querySelector(".contents");
if (contents && innerWidth < 700) {
  contents.open = false;
}
reachBoxes();
addEventListener("resize", reachBoxes);
if ("serviceWorker" in navigator) {
  const begin = () => keepOffline().catch((error) =>
    console.info(`not kept for reading offline: ${error.message}`));
  // The page itself goes first.
  document.readyState === "complete" ? begin() :
    addEventListener("load", begin);
}
