/** The colours of programs, by the library that VS Code uses for them. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { Registry, INITIAL, parseRawGrammar } = require("vscode-textmate");
const { loadWASM, OnigScanner, OnigString } = require("vscode-oniguruma");

const here = dirname(fileURLToPath(import.meta.url));
const file = join(here, "..", "syntaxes", "antelog.tmLanguage.json");
const examples = join(here, "..", "..", "..", "examples");

await loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new OnigScanner(patterns),
    createOnigString: (text) => new OnigString(text),
  }),
  loadGrammar: async (scope) =>
    scope === "source.antelog" ? parseRawGrammar(readFileSync(file, "utf8"), file) : null,
});
const grammar = await registry.loadGrammar("source.antelog");

/** The pieces of a text, each with its innermost scope, without spaces between. */
function pieces(text) {
  const found = [];
  let state = INITIAL;
  for (const line of text.split(/\r?\n/)) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens) {
      const piece = line.slice(startIndex, endIndex).trim();
      if (piece) {
        found.push([piece, scopes.at(-1).replace(/\.antelog$/, "")]);
      }
    }
  }
  return found;
}

/** The scope of the first piece with this text. */
function scope(text, piece) {
  const found = pieces(text).find(([each]) => each === piece);
  assert.ok(found, `${piece} is no piece of ${text}: ${JSON.stringify(pieces(text))}`);
  return found[1];
}

const CASES = [
  ["Hot(X, T) :- Temp(X, V, T), V > 90. % warm", "% warm", "comment.line.percentage"],
  ["Hot(X, T) :- Temp(X, V, T), V > 90% warm", "% warm", "comment.line.percentage"],
  ["query Hot(X, T) alert 80%. % soon", "80%", "constant.numeric.percentage"],
  ["query Hot(X, T) alert 80%. % soon", "% soon", "comment.line.percentage"],
  ["input Frost(post, time) delay 20 minutes (70%, 20.5%).", "20.5%", "constant.numeric.percentage"],
  ["delay Temp(wt4, _, _) = 2% two", "% two", "comment.line.percentage"],
  ["chance Frost(_, _) = 2%, again 85%.", "85%", "constant.numeric.percentage"],
  ["limit hot = 4.5.\nchance Frost(_) = 2%.", "2%", "constant.numeric.percentage"],
  ["Hot(X, T) :- not Cold(X, T).", "not", "keyword.control"],
  ["Hot(X, T) :- not Cold(X, T).", "Cold", "entity.name.function"],
  ["Hot(X, T) :- count(Temp(X, T-9..T)) > 3.", "count", "support.function"],
  ["Hot(X, T) :- count(Temp(X, T-9..T)) > 3.", "..", "keyword.operator"],
  ["Hot(X, T) :- Temp(X, high, T).", "high", "constant.other"],
  ["Hot(X, T) :- Temp(X, _, T).", "_", "variable.language.anonymous"],
  ["Hot(Ä, T) :- Temp(Ä, T).", "Ä", "variable.parameter"],
  ["tick 10 minutes.", "minutes", "support.constant.unit"],
  ["static Within(device, limit <= 4 h).", "h", "support.constant.unit"],
  ["input Temp(device, value: number, time).", "number", "support.type"],
  ['query Hot(X, T) critical "{X} is hot".', "critical", "constant.language.severity"],
  ['query Hot(X, T) critical "{X} is hot".', "{X}", "variable.other.placeholder"],
  ['P(X, T) :- Q(X, "50% \\" off", T). % x', "% x", "comment.line.percentage"],
];

for (const [text, piece, wanted] of CASES) {
  test(`${piece} in ${text}`, () => assert.equal(scope(text, piece), wanted));
}

test("every piece of every example has a colour", () => {
  for (const name of readdirSync(examples)) {
    for (const each of readdirSync(join(examples, name)).filter((entry) => entry.endsWith(".alog"))) {
      const text = readFileSync(join(examples, name, each), "utf8");
      for (const [piece, found] of pieces(text)) {
        assert.ok(found !== "source" || /^[()]+$/.test(piece), `${piece} in ${name}/${each}`);
        assert.ok(!/^%/.test(piece) || found.startsWith("comment"), `${piece} in ${name}/${each} is ${found}`);
      }
    }
  }
});
