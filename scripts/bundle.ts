/**
 * `deno task bundle`: writes the program and all its dependencies to minified files in `dist/kb-mcp`; `main.js` is the
 * entry.
 *
 * One file would hold the PDF and DOCX readers as well, and every thread of every start would parse them. Split at each
 * `import()`, a start reads 5 % of the bytes, and the rest is loaded on first use.
 *
 * @module
 */
import { deflateRawSync } from "node:zlib";
import { escapeNonAscii } from "../src/mcp/ascii.ts";
import { listModelFiles, programFolders } from "../src/models/mod.ts";
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** Folder of the bundle and of the models that it contains. Nothing else is in it. */
export const BUNDLE_FOLDER = "dist/kb-mcp";
/** Entry of the bundle. */
export const BUNDLE = `${BUNDLE_FOLDER}/main.js`;

/** Where the bundler defines the `require` of CommonJS packages, in a file that all others import. */
const CREATE_REQUIRE =
  /import\{createRequire as (\w+)\} ?from ?"node:module";var (\w+)=\1\(import\.meta\.url\);/;

/** A static import from a built-in module that takes long to load, and exports functions for the most part. */
const FUNCTION_IMPORT = /import\{([\w$, ]+)\} ?from ?"(node:(?:crypto|path|url|util|zlib))";/g;

/** An import of something else than a function. */
const NO_FUNCTION = /(?:^|,) ?(?:constants\b|[A-Z])/;

/** Reads a file of multilingual-stemmer, the path of which is relative to the module. */
const READ_WASM = /[\w$]+\([\w$]+\(new URL\("(\.\/[\w./-]+\.wasm)", ?import\.meta\.url\)\)\)/g;

/** An `import()` of another file of the bundle. */
const LAZY_IMPORT = /\bimport\("(\.\/[\w.-]+\.js)"\)/g;

/**
 * Bundles `main.ts` into {@linkcode BUNDLE_FOLDER}, next to the embedding model of the checkout, if it has one.
 *
 * @throws {Error} With the output of `deno bundle` when it fails, or when the bundle would lack the stemmers.
 */
export async function bundle(): Promise<void> {
  await Deno.remove(BUNDLE_FOLDER, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const { code, output } = await runCommand([
    "deno",
    "bundle",
    "--quiet",
    "--frozen",
    "--minify",
    "--code-splitting",
    "--outdir",
    BUNDLE_FOLDER,
    "main.ts",
  ]);
  if (code !== 0) throw new Error(`Cannot bundle main.ts:\n${output}`);
  let hasStemmers = false;
  for await (const { name } of Deno.readDir(BUNDLE_FOLDER)) {
    const path = `${BUNDLE_FOLDER}/${name}`;
    const source = finish(await Deno.readTextFile(path));
    const complete = await embedWasm(source);
    hasStemmers ||= complete !== source;
    await Deno.writeTextFile(path, complete);
  }
  if (!hasStemmers) throw new Error("Cannot bundle main.ts: multilingual-stemmer must read its WebAssembly");
  for (const { name, path } of (await Promise.all(programFolders().map(listModelFiles))).flat()) {
    await Deno.copyFile(path, `${BUNDLE_FOLDER}/${name}.kbmodel`);
  }
}

/** Returns a file of the bundle with the changes that make it start faster and take less memory. */
export function finish(source: string): string {
  // Loading node:module takes longer than the rest of a small program. The packages require built-in modules only.
  const lazyRequire = source.replace(CREATE_REQUIRE, "var $2=(id)=>process.getBuiltinModule(id);");
  const lazyFunctions = lazyRequire.replace(FUNCTION_IMPORT, (statement, names: string, module: string) => {
    return NO_FUNCTION.test(names)
      ? statement
      : names.split(",").map((name) => lazyFunction(name, module)).join("");
  });
  // Before a program starts, Deno parses everything that it may import as far as it can tell from the source.
  // `deno compile` needs --include for such imports.
  const lazyImports = lazyFunctions.replace(LAZY_IMPORT, 'import(String("$1"))');
  // A single character beyond Latin-1 makes V8 keep the source in two bytes per character, once per thread. All such
  // characters are in string and regular expression literals, where an escape means the same.
  return escapeNonAscii(lazyImports);
}

/** Returns a file of the bundle with the WebAssembly that it reads as a literal: compressed, in base64. */
export async function embedWasm(source: string): Promise<string> {
  let embedded = source;
  for (const [read, path = ""] of source.matchAll(READ_WASM)) {
    const url = new URL(path, import.meta.resolve("multilingual-stemmer"));
    const base64 = new Uint8Array(deflateRawSync(await Deno.readFile(url), { level: 9 })).toBase64();
    embedded = embedded.replace(
      read,
      `process.getBuiltinModule("node:zlib").inflateRawSync(Uint8Array.fromBase64("${base64}"))`,
    );
  }
  return embedded;
}

/** Returns a function of a built-in module under its imported name (`join`, `join as j`), loaded on the first call. */
function lazyFunction(name: string, module: string): string {
  const [imported, local = imported] = name.trim().split(" as ");
  return `var ${local}=(...a)=>(${local}=process.getBuiltinModule("${module}").${imported})(...a);`;
}

if (import.meta.main) {
  await bundle();
  let bytes = 0;
  const models = (await listModelFiles(BUNDLE_FOLDER)).map(({ name }) => name);
  for await (const { name } of Deno.readDir(BUNDLE_FOLDER)) {
    bytes += (await Deno.stat(`${BUNDLE_FOLDER}/${name}`)).size;
  }
  const model = models.join(", ") || "no embedding model: deno task model makes it";
  print(`${BUNDLE}  ${(bytes / 1e6).toFixed(1)} MB with its chunks and ${model}`);
}
