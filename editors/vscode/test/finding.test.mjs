/** Where the extension looks for the server. */

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "..", "src", "finding.ts");
const built = join(mkdtempSync(join(tmpdir(), "antelog-")), "finding.cjs");
buildSync({ entryPoints: [source], outfile: built, format: "cjs", platform: "node" });
const { candidates, findServer, runs } = createRequire(import.meta.url)(built);

test("a setting is the only one", () => {
  assert.deepEqual(candidates(" /opt/antelog ", "/venv/bin/python").map((each) => each.command), ["/opt/antelog"]);
});

test("the interpreter comes before the path, and imports nothing of the folder", () => {
  const found = candidates("", "/venv/bin/python");
  assert.deepEqual(found.map((each) => each.command), ["/venv/bin/python", "antelog"]);
  assert.deepEqual(found[0].args, ["-P", "-m", "antelog", "lsp"]);
});

test("the first one that works is taken", async () => {
  const asked = [];
  const run = async (command, args) => {
    asked.push([command, ...args].join(" "));
    return command === "antelog";
  };
  assert.equal((await findServer(candidates("", "/venv/bin/python"), run)).from, "the PATH");
  assert.deepEqual(asked, ["/venv/bin/python -P -m antelog lsp --check", "antelog lsp --check"]);
  assert.equal(await findServer(candidates("", undefined), async () => false), undefined);
});

test("a command that is not there does not work", async () => {
  assert.equal(await runs(join(tmpdir(), "no-such-command"), []), false);
  assert.equal(await runs(process.execPath, ["--version"]), true);
});
