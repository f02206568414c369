/**
 * `deno task compile [--target NAME]… [--no-bundle] [--writable PATHS]`: compiles one executable per target,
 * `dist/kb-mcp-NAME`. It may write to the PATHS only, separated by commas, or anywhere by default.
 *
 * Compiles the bundle, because compiling the sources would embed every npm package whole. `--no-bundle` uses the
 * existing bundle.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { BUNDLE, bundle, BUNDLE_FOLDER } from "./bundle.ts";
import { executablePermissions, RUNTIME_FLAGS } from "./permissions.ts";
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** Targets of a release, as `deno compile --target` names them. */
const TARGETS: readonly string[] = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

/** Compiles the bundle for one target; prints its path and size, or the error. Returns whether it succeeded. */
async function compile(target: string, options: { writable?: string }): Promise<boolean> {
  const output = `dist/kb-mcp-${target}`;
  const result = await runCommand([
    "deno",
    "compile",
    // With a config or lock file, packages that the bundle already contains would be embedded a second time.
    "--no-config",
    "--no-lock",
    "--no-check",
    // The code cache would be a file with a predictable name in a temporary directory that other users can write to.
    "--no-code-cache",
    ...executablePermissions(target, options),
    ...RUNTIME_FLAGS,
    "--target",
    target,
    "--output",
    output,
    // The files that the entry imports lazily.
    "--include",
    BUNDLE_FOLDER,
    BUNDLE,
  ]);
  if (result.code === 0) {
    const path = target.includes("windows") ? `${output}.exe` : output;
    print(`${path}  ${((await Deno.stat(path)).size / 1e6).toFixed(0)} MB`);
    return true;
  }
  print(result.output.trimEnd());
  print(
    `Cannot compile for ${target}: if the message above is about a download, Deno ${Deno.version.deno} could not fetch ` +
      `its runtime for that target (denort). Run this with access to Deno's download site, or set DENORT_BIN to the ` +
      `path of a denort of the same version and target.`,
  );
  return false;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: "string", multiple: true },
      "no-bundle": { type: "boolean" },
      writable: { type: "string" },
    },
  });
  const targets = values.target ?? TARGETS;
  const unknown = targets.filter((target) => !TARGETS.includes(target));
  if (unknown.length > 0) {
    print(`--target must be one of ${TARGETS.join(", ")}, got ${unknown.join(", ")}`);
    Deno.exit(2);
  }
  if (!values["no-bundle"]) await bundle();
  const options = values.writable === undefined ? {} : { writable: values.writable };
  let hasFailed = false;
  for (const target of targets) {
    if (!await compile(target, options)) hasFailed = true;
  }
  Deno.exit(hasFailed ? 1 : 0);
}
