/* report.js: opens a lab's timeline to zoom and explore, below its picture */
"use strict";

const textOf = (id) => document.getElementById(id).textContent;

/* The whole page of one timeline. Its data are safe inside a <script>. */
function timelinePage(id) {
  return "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">" +
    "<title>Timeline</title><style>" + textOf("timeline-css") +
    "body { padding: 0 2px; max-width: none; }</style></head><body>" +
    document.getElementById("timeline-page").innerHTML +
    "<script type=\"application/json\" id=\"data\">" + textOf(id + "-data") +
    "<\/script><script>" + textOf("timeline-js") + "<\/script></body></html>";
}

/* The frame is as high as what it shows. */
function fitFrame(frame) {
  const body = frame.contentDocument.body;
  const fit = () => {
    frame.style.height = body.scrollHeight + 24 + "px";
  };
  new frame.contentWindow.ResizeObserver(fit).observe(body);
  fit();
}

for (const button of document.querySelectorAll("[data-explore]")) {
  const id = button.dataset.explore;
  let frame = null;
  button.parentElement.hidden = false;
  button.addEventListener("click", () => {
    if (frame) {
      frame.remove();
      frame = null;
    } else {
      frame = document.createElement("iframe");
      frame.title = "Timeline to explore";
      frame.srcdoc = timelinePage(id);
      frame.addEventListener("load", () => fitFrame(frame));
      button.parentElement.after(frame);
    }
    button.setAttribute("aria-expanded", frame !== null);
    button.textContent = frame ? "Close" : "Zoom and explore";
  });
}
