/* search-index.mjs: an index of all headings and what stands below them. */
import MiniSearch from "minisearch";
import {OPTIONS} from "./search-options.js";

/* A deck's slides: headings, and the notes that stand in comments. */
const slidesOf = (text) => text.split(/^---$/m).map((slide, i) => ({
  id: `slide-${i - 1}`, heading: slide.match(/^##? (.*)$/m)?.[1],
  text: slide.replace(/^<!-- _class.*$/gm, "").replace(/[#<>!`|*-]+/g, " ")}))
  .filter(({heading}) => heading);

/* @pages  what build.mjs made */
export function indexOf(pages) {
  const search = new MiniSearch(OPTIONS);
  const sections = pages.flatMap((page) => {
    const parts = page.deckText ? slidesOf(page.deckText) : page.sections || [];
    return parts.map(({id, heading, text}) => ({
      id: id ? `${page.address}#${id}` : page.address,
      title: page.title, heading: heading === page.title ? "" : heading, text}));
  });
  search.addAll(sections);
  return JSON.stringify(search);
}
