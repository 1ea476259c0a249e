/* tabs.js: panels of which one is seen, by the pattern of ARIA: arrow keys go
 * from tab to tab, Tab goes into the panel */
import {make} from "./dom.js";

export class Tabs {
  #tabs = new Map();
  #show;

  /** @param label of the list; @param names [[id, words]]
   * @param onShow(id) fills a panel when it is first seen, or each time */
  constructor(label, names, onShow = () => {}) {
    this.#show = onShow;
    this.list = make("div", {role: "tablist", "aria-label": label,
      onkeydown: (event) => this.#key(event)});
    this.panels = make("div", {class: "panels"});
    for (const [id, words] of names) {
      const tab = make("button", {type: "button", role: "tab", id: "tab-" + id,
        "aria-controls": "panel-" + id, "aria-selected": "false",
        tabindex: "-1", onclick: () => this.show(id)}, words);
      const panel = make("div", {role: "tabpanel", id: "panel-" + id,
        "aria-labelledby": "tab-" + id, tabindex: "0", hidden: true});
      this.#tabs.set(id, {tab, panel});
      this.list.append(tab);
      this.panels.append(panel);
    }
    this.show(names[0][0]);
  }

  panel(id) {
    return this.#tabs.get(id).panel;
  }

  show(id) {
    this.shown = id;
    for (const [other, {tab, panel}] of this.#tabs) {
      tab.setAttribute("aria-selected", other === id);
      tab.tabIndex = other === id ? 0 : -1;
      panel.hidden = other !== id;
    }
    this.#show(id);
  }

  #key(event) {
    const ids = [...this.#tabs.keys()], at = ids.indexOf(this.shown);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0,
      End: ids.length - 1}[event.key];
    if (to !== undefined) {
      const id = ids[(to + ids.length) % ids.length];
      event.preventDefault();
      this.show(id);
      this.#tabs.get(id).tab.focus();
    }
  }
}
