"use strict";
/* The editor of rules: CodeMirror in a root of its own, for its styles are made by scripts, which the page's
   policy allows only there. Colours come from the words of the language; errors from the real parser. */

const editor = {
  view: null,

  begin(where, text, keywords, changed) {
    const { EditorView, EditorState, basicSetup, keymap, indentWithTab, lintGutter } = CodeMirror;
    const shadow = where.attachShadow({ mode: "open" });
    const label = EditorView.contentAttributes.of({ "aria-label": "Rules", spellcheck: "false" });
    const told = EditorView.updateListener.of((update) => { if (update.docChanged) changed(); });
    const extensions = [
      basicSetup, keymap.of([indentWithTab]), lintGutter(), language(new Set(keywords)), colours(), look(), label, told,
      EditorView.lineWrapping,
    ];
    this.view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: shadow, root: shadow });
  },

  get text() { return this.view.state.doc.toString(); },
  set text(text) { this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } }); },

  /* The offset of a line and column, both counted from one. */
  at(line, column) {
    const doc = this.view.state.doc, found = doc.line(Math.min(Math.max(1, line), doc.lines));
    return Math.min(found.from + Math.max(0, column - 1), found.to);
  },

  mark(problems) {
    const found = problems.filter((each) => each.line && !each.file).map((each) => {
      const from = this.at(each.line, each.column);
      return { from, to: Math.max(from, this.at(each.end_line, each.end_column)), severity: each.severity, message: [each.message, each.hint].filter(Boolean).join("\n") };
    });
    this.view.dispatch(CodeMirror.setDiagnostics(this.view.state, found));
  },

  go(line, column) {
    const at = this.at(line, column);
    this.view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    this.view.focus();
  },
};

/* Words as they look; `%` begins a comment unless it follows a number. */
function language(keywords) {
  const token = (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match(/^\d+(\.\d+)?%/) || stream.match(/^\d+(\.\d+)?([eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^%.*/)) return "comment";
    if (stream.match(/^"([^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^(:-|->|←|→|¬|∧|[<>!]=|[<>=≤≥≠+*/-])/)) return "operator";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)?.[0];
    if (!word) { stream.next(); return "punctuation"; }
    if (keywords.has(word)) return "keyword";
    if (/^\s*\(/.test(stream.string.slice(stream.pos))) return "typeName";
    return /^[\p{Lu}_]/u.test(word) ? "variableName" : "atom";
  };
  return CodeMirror.StreamLanguage.define({ token, languageData: { commentTokens: { line: "%" } } });
}

function colours() {
  const { tags, HighlightStyle, syntaxHighlighting } = CodeMirror;
  const style = (tag, color, more = {}) => ({ tag, color: `var(--${color})`, ...more });
  return syntaxHighlighting(HighlightStyle.define([
    style(tags.keyword, "info", { fontWeight: "600" }), style(tags.comment, "muted", { fontStyle: "italic" }),
    style(tags.typeName, "ink", { fontWeight: "600" }), style(tags.variableName, "warning"),
    style(tags.number, "good"), style(tags.string, "good"), style(tags.atom, "ink"), style(tags.operator, "muted"),
  ]));
}

function look() {
  return CodeMirror.EditorView.theme({
    "&": { height: "100%", backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "13px" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--ink)" },
    ".cm-cursor": { borderLeftColor: "var(--ink)" },
    ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--faint)", border: "none" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
    ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--band)" },
    ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--good-soft)", color: "inherit" },
    ".cm-selectionMatch": { backgroundColor: "var(--warning-soft)" },
    ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", maxWidth: "min(480px, 80vw)", whiteSpace: "pre-wrap" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--info-soft)", color: "var(--ink)" },
    // Without the pictures in addresses, which the page's policy forbids.
    ".cm-lintRange": { backgroundImage: "none !important" },
    ".cm-lintRange-error": { textDecoration: "underline wavy var(--critical) 1px" }, ".cm-lintRange-warning": { textDecoration: "underline wavy var(--warning) 1px" },
    ".cm-lint-marker": { content: "none !important", borderRadius: "50%", width: "9px", height: "9px", margin: "5px 0 0 2px" },
    ".cm-lint-marker-error": { backgroundColor: "var(--critical)" }, ".cm-lint-marker-warning": { backgroundColor: "var(--warning)" },
    ".cm-diagnostic-error": { borderLeftColor: "var(--critical)" }, ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
    ".cm-panels": { backgroundColor: "var(--card)", color: "var(--ink)" },
  });
}
