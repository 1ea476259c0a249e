/* editor.js: CodeMirror, as much of it as a lab needs
 *
 * It stands in a shadow tree: there its styles are sheets made by a script,
 * which the site's policy allows, while a <style> in the page it would not.
 * Colours come from the page's variables, so that light and dark are one.
 */
import {defaultKeymap, history, historyKeymap, indentLess, indentMore}
  from "@codemirror/commands";
import {cpp} from "@codemirror/lang-cpp";
import {bracketMatching, HighlightStyle, indentOnInput, indentUnit,
  syntaxHighlighting} from "@codemirror/language";
import {lintGutter, lintKeymap, setDiagnostics} from "@codemirror/lint";
import {highlightSelectionMatches, search, searchKeymap}
  from "@codemirror/search";
import {EditorState} from "@codemirror/state";
import {drawSelection, EditorView, highlightActiveLine,
  highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
  tooltips} from "@codemirror/view";
import {tags} from "@lezer/highlight";

const colors = HighlightStyle.define([
  {tag: [tags.keyword, tags.typeName, tags.modifier,
    tags.processingInstruction], color: "var(--code-word)", fontWeight: "600"},
  {tag: [tags.string, tags.number, tags.character, tags.bool],
    color: "var(--code-value)"},
  {tag: tags.comment, color: "var(--muted)", fontStyle: "italic"},
]);

const theme = EditorView.theme({
  "&": {height: "100%", color: "var(--text)", backgroundColor: "var(--bg)",
    fontSize: "14px"},
  "&.cm-focused": {outline: "2px solid var(--focus)", outlineOffset: "-2px"},
  ".cm-scroller": {lineHeight: "1.5", fontFamily:
    "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"},
  ".cm-content": {caretColor: "var(--text)"},
  ".cm-cursor": {borderLeftColor: "var(--text)"},
  ".cm-gutters": {backgroundColor: "var(--lane)", color: "var(--muted)",
    borderRight: "1px solid var(--grid)"},
  ".cm-activeLine, .cm-activeLineGutter": {backgroundColor: "var(--range)"},
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
    {backgroundColor: "var(--select)"},
  ".cm-selectionBackground": {backgroundColor: "var(--select)"},
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--select)", outline: "1px solid var(--edge)"},
  ".cm-panels, .cm-tooltip": {backgroundColor: "var(--lane)",
    color: "var(--text)", border: "1px solid var(--edge)"},
  ".cm-diagnostic": {fontFamily: "system-ui, sans-serif", maxWidth: "34em",
    whiteSpace: "pre-wrap"},
  ".cm-diagnostic-error": {borderLeftColor: "var(--bad)"},
  ".cm-button": {backgroundImage: "none", backgroundColor: "var(--bg)",
    color: "var(--text)"},
  ".cm-textfield": {backgroundColor: "var(--bg)", color: "var(--text)"},
});

/* Tab indents, but a keyboard must get out, too: after Escape CodeMirror leaves
 * a Tab to the browser. The editor's label says so. */
const tabKeys = [{key: "Tab", run: indentMore, shift: indentLess}];

/** An editor in an element.
 * @param host an empty element
 * @param options text, label, readOnly, onChange(text), keys: of CodeMirror */
export function makeEditor(host, {text, label, readOnly, onChange, keys = []}) {
  const root = host.attachShadow({mode: "open"});
  const extensions = [
    lineNumbers(), highlightSpecialChars(), bracketMatching(), cpp(),
    syntaxHighlighting(colors), theme, search({top: true}), drawSelection(),
    highlightSelectionMatches(), EditorState.tabSize.of(4),
    indentUnit.of("    "), tooltips({position: "absolute"}),
    EditorView.contentAttributes.of({"aria-label": label, tabindex: "0",
      spellcheck: "false", autocapitalize: "off", autocorrect: "off"}),
    readOnly ? [EditorState.readOnly.of(true)] : [
      history(), indentOnInput(), lintGutter(), highlightActiveLine(),
      highlightActiveLineGutter(),
    ],
    keymap.of([...keys, ...tabKeys, ...searchKeymap, ...historyKeymap,
      ...lintKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && onChange) {
        onChange(update.state.doc.toString());
      }
    }),
  ];
  const view = new EditorView({root, parent: root,
    state: EditorState.create({doc: text, extensions})});
  return new Editor(view, extensions);
}

class Editor {
  constructor(view, extensions) {
    this.view = view;
    this.extensions = extensions;
  }
  get text() {
    return this.view.state.doc.toString();
  }
  /** A new text as one change, so that undo gives back the old one. */
  replace(text) {
    this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length,
      insert: text}});
  }
  /** Marks with words. @param marks [{line, column, words, kind}], kind error
   * or warning */
  mark(marks) {
    const doc = this.view.state.doc;
    this.view.dispatch(setDiagnostics(this.view.state, marks
      .filter((m) => m.line >= 1 && m.line <= doc.lines)
      .map((m) => {
        const line = doc.line(m.line);
        const indent = line.text.length - line.text.trimStart().length;
        const from = Math.min(line.to, line.from +
          (m.column ? m.column - 1 : indent));
        return {from, to: Math.max(from, line.to), severity: m.kind,
          message: m.words};
      })));
  }
  /** Bring a line into view and put the cursor there. */
  show(number) {
    const doc = this.view.state.doc;
    if (number >= 1 && number <= doc.lines) {
      const from = doc.line(number).from;
      this.view.dispatch({selection: {anchor: from}, effects:
        EditorView.scrollIntoView(from, {y: "center"})});
      this.view.focus();
    }
  }
  focus() {
    this.view.focus();
  }
}
