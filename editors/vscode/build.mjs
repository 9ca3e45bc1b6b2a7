/** Bundles the extension into one file, and collects the licences of what is bundled with it. */

import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const result = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  metafile: true,
  legalComments: "none",
});

const folders = new Set();
for (const path of Object.keys(result.metafile.inputs)) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (found) {
    folders.add(found[1]);
  }
}
const notices = ["Parts of others in dist/extension.js, each under a licence of its own.", ""];
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file || !existsSync(join(folder, file))) {
    throw new Error(`${name} has no file with its licence`);
  }
  notices.push("-".repeat(80), `${name} ${version} (${license})`, "", readFileSync(join(folder, file), "utf8").trim(), "");
}
mkdirSync("dist", { recursive: true });
copyFileSync("../../LICENSE", "LICENSE");
writeFileSync("dist/LICENSES.txt", notices.join("\n"));
