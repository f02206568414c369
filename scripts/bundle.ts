/**
 * `deno task bundle`: writes the program and all its dependencies to one minified file, `dist/kb-mcp.js`.
 *
 * @module
 */
import { escapeNonAscii } from "../src/mcp/ascii.ts";
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** Path of the bundle. */
export const BUNDLE = "dist/kb-mcp.js";

/**
 * Bundles `main.ts` into {@linkcode BUNDLE}.
 *
 * @throws {Error} With the output of `deno bundle` when it fails.
 */
export async function bundle(): Promise<void> {
  const { code, output } = await runCommand([
    "deno",
    "bundle",
    "--quiet",
    "--minify",
    "--output",
    BUNDLE,
    "main.ts",
  ]);
  if (code !== 0) throw new Error(`Cannot bundle main.ts:\n${output}`);
  // A single character beyond Latin-1 makes V8 keep the source in two bytes per character, once per thread. All such
  // characters are in string and regular expression literals, where an escape means the same.
  await Deno.writeTextFile(BUNDLE, escapeNonAscii(await Deno.readTextFile(BUNDLE)));
}

if (import.meta.main) {
  await bundle();
  print(`${BUNDLE}  ${((await Deno.stat(BUNDLE)).size / 1e6).toFixed(1)} MB`);
}
