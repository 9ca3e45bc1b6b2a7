/** A folder that is not trusted: nothing is started until it is. The parts of VS Code are made up. */

import assert from "node:assert/strict";
import childProcess from "node:child_process";
import { mkdtempSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "..", "src", "extension.ts");
const built = join(mkdtempSync(join(tmpdir(), "antelog-")), "extension.cjs");
buildSync({ entryPoints: [source], outfile: built, bundle: true, format: "cjs", platform: "node", external: ["vscode"] });

/** Something that can be called, constructed and extended, and has every property. */
function anything(properties = {}) {
  return new Proxy(Object.assign(class {}, properties), {
    get: (target, name) => target[name] ?? (name === "then" ? undefined : anything()),
    apply: () => undefined,
  });
}

const said = [];
const started = [];
let trust = () => {};
const vscode = anything({
  commands: { registerCommand: () => ({ dispose() {} }) },
  extensions: { getExtension: () => undefined },
  window: {
    createOutputChannel: () => ({ info: (text) => said.push(text), error: (text) => said.push(text), dispose() {} }),
    showWarningMessage: async (text) => void said.push(text),
  },
  workspace: {
    isTrusted: false,
    onDidGrantWorkspaceTrust: (call) => ((trust = call), { dispose() {} }),
    onDidChangeConfiguration: () => ({ dispose() {} }),
    getConfiguration: () => ({ get: () => "/no/such/antelog" }),
  },
});

test("nothing is started before a folder is trusted", async () => {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  const { execFile } = childProcess;
  childProcess.execFile = (command, ...rest) => (started.push(command), execFile(command, ...rest));
  try {
    const extension = createRequire(import.meta.url)(built);
    extension.activate({ subscriptions: [] });
    await extension.deactivate();
    assert.deepEqual(started, []);
    assert.match(said.join(), /not trusted/);

    vscode.workspace.isTrusted = true;
    await trust();
    assert.deepEqual(started, ["/no/such/antelog"]);
    assert.match(said.join(), /no language server of antelog at \/no\/such\/antelog/);
  } finally {
    Module._load = load;
    childProcess.execFile = execFile;
  }
});
