/* deck.js: a deck's slides one at a time, on the whole screen. Without it they
 * stand below each other. */
const all = document.getElementById("slides");
const slides = [...all.querySelectorAll(".slide")];
const start = document.getElementById("present");
let at = 0, step = 0;

const parts = () => [...slides[at].querySelectorAll("[data-marpit-fragment]")];

function show() {
  slides.forEach((slide, i) => slide.classList.toggle("now", i === at));
  // Marp's own name for it: the theme hides an answer's words by it, too.
  parts().forEach((part, i) => {
    part.dataset.bespokeMarpFragment = i < step ? "active" : "inactive";
  });
}

/* A slide that is reached backwards is complete. */
function go(by) {
  if (by > 0 && step < parts().length) {
    step++;
  } else if (by < 0 && step > 0) {
    step--;
  } else if (slides[at + by]) {
    at += by;
    step = by < 0 ? parts().length : 0;
  }
  show();
}

/* The slide that is nearest to the top of the window. */
function nearest() {
  const tops = slides.map((slide) =>
    Math.abs(slide.getBoundingClientRect().top));
  return tops.indexOf(Math.min(...tops));
}

function present() {
  at = nearest();
  step = 0;
  document.body.classList.add("presenting");
  all.querySelectorAll("details.answer").forEach((box) => box.open = true);
  show();
  // Where a browser has no such thing, the slide fills the window.
  all.requestFullscreen?.().catch(() => {});
}

function end() {
  document.body.classList.remove("presenting");
  all.querySelectorAll("[data-bespoke-marp-fragment]").forEach((part) =>
    delete part.dataset.bespokeMarpFragment);
  all.querySelectorAll("details.answer").forEach((box) => box.open = false);
  if (document.fullscreenElement) {
    document.exitFullscreen();
  }
  slides[at].scrollIntoView();
  start.focus({preventScroll: true});
}

const KEYS = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1,
  ArrowUp: -1, PageUp: -1};
const presenting = () => document.body.classList.contains("presenting");

start.hidden = false;
start.addEventListener("click", present);
addEventListener("keydown", (event) => {
  if (!presenting()) {
    return;
  }
  if (KEYS[event.key]) {
    event.preventDefault();
    go(KEYS[event.key]);
  } else if (event.key === "Escape") {
    end();
  }
});
all.addEventListener("click", (event) => {
  if (presenting()) {
    go(event.clientX < innerWidth / 3 ? -1 : 1);
  }
});
document.addEventListener("fullscreenchange", () => {
  if (!document.fullscreenElement && presenting()) {
    end();
  }
});
