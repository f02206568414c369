/**
 * `deno task bundle`: writes the program and all its dependencies to minified files in `dist/kb-mcp`; `main.js` is the
 * entry.
 *
 * One file would hold the PDF and DOCX readers as well, and every thread of every start would parse them. Split at each
 * `import()`, a start reads 5 % of the bytes, and the rest is loaded on first use.
 *
 * @module
 */
import process from "node:process";
import { deflateRawSync } from "node:zlib";
import { escapeNonAscii } from "../src/mcp/ascii.ts";
import { listModelFiles, programFolders } from "../src/models/mod.ts";
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** Folder of the bundle and of the models that it contains. Nothing else is in it. */
export const BUNDLE_FOLDER = "dist/kb-mcp";
/** Entry of the bundle. */
export const BUNDLE = `${BUNDLE_FOLDER}/main.js`;

/**
 * Minifies files. Not `deno bundle --minify`: its esbuild 0.25 moves the value of a variable into the next statement if
 * that alone uses it, also of a `using` declaration, which then releases nothing. It has a lock file of its own,
 * because Deno downloads every package of `deno.lock` before the program starts.
 */
const MINIFIER = [
  ...["deno", "run", "--no-config", "--lock=scripts/esbuild.lock", "--frozen", "-A"],
  ...["npm:esbuild@0.28.2", "--minify", "--format=esm", "--log-level=warning", "--allow-overwrite"],
];

/** Where the bundler defines the `require` of CommonJS packages, in a file that all others import. */
const CREATE_REQUIRE =
  /import\{createRequire as (\w+)\} ?from ?"node:module";var (\w+)=\1\(import\.meta\.url\);/;

/** A static import from a built-in module that takes long to load, and exports functions for the most part. */
const BUILT_IN_IMPORT = /import\{([\w$, ]+)\} ?from ?"(node:(?:crypto|path|url|util|zlib))";/g;

/** Properties of a function that has none of its own, which a wrapper lacks: `inspect.custom`, `promisify.custom`. */
const FUNCTION_PROPERTIES = new Set(["length", "name", "prototype", "arguments", "caller"]);

/** End of a file that holds one CommonJS package, which has a default export only. */
const COMMON_JS_END = /export default [\w$]+\(\);\s*$/;

/** An `import()` of another file of the bundle that takes the default export. */
const DEFAULT_IMPORT = /\{default:[\w$]+\}=await import\(String\("\.\/([\w.-]+\.js)"\)\)/g;

/** Reads a file of multilingual-stemmer, the path of which is relative to the module. */
const READ_WASM = /[\w$]+\([\w$]+\(new URL\("(\.\/[\w./-]+\.wasm)", ?import\.meta\.url\)\)\)/g;

/** An `import()` of another file of the bundle. */
const LAZY_IMPORT = /\bimport\("(\.\/[\w.-]+\.js)"\)/g;

/**
 * Bundles `main.ts` into {@linkcode BUNDLE_FOLDER}, next to the embedding model of the checkout, if it has one.
 *
 * @throws {Error} With the output of `deno bundle` when it fails, or when the bundle would lack the stemmers or exports.
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
    "--code-splitting",
    "--outdir",
    BUNDLE_FOLDER,
    "main.ts",
  ]);
  if (code !== 0) throw new Error(`Cannot bundle main.ts:\n${output}`);
  await minify(BUNDLE_FOLDER);
  let hasStemmers = false;
  const sources = new Map<string, string>();
  for await (const { name } of Deno.readDir(BUNDLE_FOLDER)) {
    const path = `${BUNDLE_FOLDER}/${name}`;
    const source = finish(await Deno.readTextFile(path));
    const complete = await embedWasm(source);
    hasStemmers ||= complete !== source;
    sources.set(name, complete);
    await Deno.writeTextFile(path, complete);
  }
  if (!hasStemmers) throw new Error("Cannot bundle main.ts: multilingual-stemmer must read its WebAssembly");
  const [lacking] = lackingExports(sources);
  if (lacking !== undefined) {
    throw new Error(
      `Cannot bundle main.ts: ${lacking} is a CommonJS package, of which an import() gets only the default export. ` +
        "Import its names statically in a module of this program, and that one with import()",
    );
  }
  for (const { name, path } of (await Promise.all(programFolders().map(listModelFiles))).flat()) {
    await Deno.copyFile(path, `${BUNDLE_FOLDER}/${name}.kbmodel`);
  }
}

/**
 * Minifies all JavaScript files of a folder.
 *
 * @throws {Error} With the output of esbuild when it fails.
 */
export async function minify(folder: string): Promise<void> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  const paths = names.filter((name) => name.endsWith(".js")).map((name) => `${folder}/${name}`);
  const { code, output } = await runCommand([...MINIFIER, `--outdir=${folder}`, ...paths]);
  if (code !== 0) throw new Error(`Cannot minify ${folder}:\n${output}`);
}

/** Returns a file of the bundle with the changes that make it start faster and take less memory. */
export function finish(source: string): string {
  // Loading node:module takes longer than the rest of a small program. The packages require built-in modules only.
  const lazyRequire = source.replace(CREATE_REQUIRE, "var $2=(id)=>process.getBuiltinModule(id);");
  const lazyFunctions = lazyRequire.replace(BUILT_IN_IMPORT, (statement, list: string, module: string) => {
    const names = list.split(",").map(importedName);
    return names.every(([imported]) => isPlainFunction(module, imported))
      ? names.map((name) => lazyFunction(name, module)).join("")
      : statement;
  });
  // Before a program starts, Deno parses everything that it may import as far as it can tell from the source.
  // `deno compile` needs --include for such imports.
  const lazyImports = lazyFunctions.replace(LAZY_IMPORT, 'import(String("$1"))');
  // A single character beyond Latin-1 makes V8 keep the source in two bytes per character, once per thread. All such
  // characters are in string and regular expression literals, where an escape means the same.
  return escapeNonAscii(lazyImports);
}

/**
 * Returns the files of CommonJS packages of which an `import()` wants named exports, which the bundler does not make.
 *
 * @param sources The finished files of the bundle by name.
 */
export function lackingExports(sources: ReadonlyMap<string, string>): string[] {
  const text = [...sources.values()].join("\n");
  const complete = new Map<string, number>();
  for (const [, name = ""] of text.matchAll(DEFAULT_IMPORT)) {
    complete.set(name, (complete.get(name) ?? 0) + 1);
  }
  return [...sources].filter(([name, source]) =>
    COMMON_JS_END.test(source) &&
    text.split(`import(String("./${name}"))`).length - 1 > (complete.get(name) ?? 0)
  ).map(([name]) => name);
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

/** Returns the name in the module and the local one of an import: `join` or `join as j`. */
function importedName(name: string): readonly [imported: string, local: string] {
  const [imported = "", local = imported] = name.trim().split(" as ");
  return [imported, local];
}

/** Whether a wrapper can take the place of an export. It cannot for a class, a value such as `sep`, or an object. */
function isPlainFunction(module: string, name: string): boolean {
  const value = (process.getBuiltinModule(module) as Record<string, unknown>)[name];
  return typeof value === "function" && !/^[A-Z]/.test(name) &&
    Reflect.ownKeys(value).every((key) => FUNCTION_PROPERTIES.has(String(key)));
}

/** Returns a function of a built-in module under its local name, loaded on the first call. */
function lazyFunction([imported, local]: readonly [string, string], module: string): string {
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
