/* search.js: the words of the address, looked up in the index. */
import MiniSearch from "./minisearch.js";
import {OPTIONS} from "./search-options.js";

const MOST = 40;
const found = document.getElementById("found");
const hits = document.getElementById("hits");
const words = document.getElementById("words");

function show(result) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = result.id;
  link.textContent = result.heading || result.title;
  item.append(link);
  if (result.heading) {
    const where = document.createElement("span");
    where.textContent = result.title;
    item.append(" ", where);
  }
  return item;
}

async function search(query) {
  words.value = query;
  if (!query.trim()) {
    found.textContent = "Words of the labs, decks and documents; all of them " +
      "must stand in one section.";
    return;
  }
  found.textContent = "Searching.";
  const index = MiniSearch.loadJSON(await (await fetch(
    new URL("index.json", import.meta.url))).text(), OPTIONS);
  const results = index.search(query);
  found.textContent = results.length === 0 ? "Nothing found." :
    `${results.length} ${results.length === 1 ? "section" : "sections"}` +
    (results.length > MOST ? `, the first ${MOST}:` : ":");
  hits.replaceChildren(...results.slice(0, MOST).map(show));
}

search(new URLSearchParams(location.search).get("q") || "");
