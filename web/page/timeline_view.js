/* timeline_view.js: a timeline in a frame of the page */
import {make} from "./dom.js";

/** A frame that shows what `timeline --html` wrote.
 * @param base URL of the folder page/; @param text that page
 * @param title what the frame is called, for those who do not see it */
export function timelineView(base, text, title) {
  const frame = make("iframe", {class: "timeline", title,
    src: new URL("timeline.html", base).href});
  const listen = ({source, data}) => {
    if (!frame.isConnected && frame.dataset.shown) {
      removeEventListener("message", listen);
    } else if (source === frame.contentWindow && data?.timelineReady) {
      frame.dataset.shown = "yes";
      frame.contentWindow.postMessage({timeline: text, title},
        location.origin);
    } else if (source === frame.contentWindow && data?.timelineHeight > 0) {
      frame.style.height = Math.ceil(data.timelineHeight) + 8 + "px";
    }
  };
  addEventListener("message", listen);
  return frame;
}
