/* What the editor of `antelog play` uses of CodeMirror. `make editor` bundles it into one file. */
export { EditorView, basicSetup } from "codemirror";
export { EditorState } from "@codemirror/state";
export { keymap } from "@codemirror/view";
export { indentWithTab } from "@codemirror/commands";
export { StreamLanguage, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
export { setDiagnostics, lintGutter } from "@codemirror/lint";
export { tags } from "@lezer/highlight";
