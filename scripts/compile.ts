/**
 * `deno task compile [--target NAME]… [--no-bundle]`: one executable per target, `dist/kb-mcp-NAME`, out of the bundle,
 * because out of the sources `deno compile` would embed every npm package whole. `--no-bundle` takes the bundle that is
 * there already.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { PERMISSIONS, RUNTIME_FLAGS } from "./permissions.ts";
import { print } from "./print.ts";
import { run } from "./run.ts";

const BUNDLE = "dist/kb-mcp.js";
const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

const { values } = parseArgs({
  options: { target: { type: "string", multiple: true }, "no-bundle": { type: "boolean" } },
});
const wanted = values.target ?? TARGETS;
const unknown = wanted.filter((target) => !TARGETS.includes(target));
if (unknown.length > 0) {
  print(`--target must be one of ${TARGETS.join(", ")}, got ${unknown.join(", ")}`);
  Deno.exit(2);
}

if (!values["no-bundle"]) {
  const bundled = await run(["deno", "task", "--quiet", "bundle"]);
  if (bundled.code !== 0) {
    print(bundled.output);
    Deno.exit(1);
  }
}

let failed = false;
for (const target of wanted) {
  const output = `dist/kb-mcp-${target}`;
  const result = await run([
    "deno",
    "compile",
    // Without them, packages of deno.lock that the bundle already holds would be embedded once more.
    "--no-config",
    "--no-lock",
    "--no-check",
    // The code cache is a file of a known name in the temporary directory, which other users may write to.
    "--no-code-cache",
    ...PERMISSIONS,
    ...RUNTIME_FLAGS,
    "--target",
    target,
    "--output",
    output,
    BUNDLE,
  ]);
  if (result.code === 0) {
    const path = target.includes("windows") ? `${output}.exe` : output;
    print(`${path}  ${((await Deno.stat(path)).size / 1e6).toFixed(0)} MB`);
    continue;
  }
  failed = true;
  print(result.output.trimEnd());
  print(
    `Cannot compile for ${target}: if the message above is about a download, Deno ${Deno.version.deno} could not fetch ` +
      `its runtime for that target (denort). Run this where Deno's download site is reachable, or set DENORT_BIN to the ` +
      `path of a denort of the same version and target.`,
  );
}
Deno.exit(failed ? 1 : 0);
