/**
 * `deno task wasm`: builds the WebAssembly of the vector scan and of the text encoder into the modules that the program
 * imports.
 *
 * @module
 */
import wabt from "wabt";
import { runCommand } from "./run_command.ts";

const SCAN = "src/engine/sqlite/vectors";
const KERNEL = "src/encoder/kernel";

/**
 * The AssemblyScript compiler. It has a lock file of its own, because Deno downloads every package of
 * `deno.lock` before the program starts, and its back end, binaryen, takes 94 MB.
 */
const COMPILER = [
  ...["deno", "run", "--no-config", "--lock=scripts/assemblyscript.lock", "--frozen", "-A"],
  "npm:assemblyscript@0.28.20/asc",
];
const COMPILER_OPTIONS = [
  ...["-O3", "--noAssert", "--converge"],
  // No allocator and no garbage collector: the caller passes addresses of a memory that threads share.
  ...["--runtime", "stub", "--use", "abort=", "--enable", "simd", "--enable", "threads"],
  ...["--importMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
];

/**
 * Assembles WebAssembly text and returns the source of a TypeScript module that exports it as base64.
 *
 * @param name File name of the text, for its header comment.
 */
export async function wasmModule(name: string, text: string): Promise<string> {
  const assembler = await wabt();
  const parsed = assembler.parseWat(name, text, { simd: true });
  try {
    return moduleSource(name, new Uint8Array(parsed.toBinary({}).buffer));
  } finally {
    parsed.destroy();
  }
}

/**
 * Compiles the AssemblyScript files of a folder and returns the source of a TypeScript module that exports the
 * result as base64.
 *
 * The sources have the extension `.as`, since TypeScript's checker does not know their types; the compiler
 * requires `.ts`.
 *
 * @param folder Folder with the files.
 * @param entries Names of the files, without extension, whose exports the module has.
 */
export async function assemblyScriptModule(folder: string, entries: readonly string[]): Promise<string> {
  const build = await Deno.makeTempDir({ prefix: "kb-mcp-wasm-" });
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith(".as")) continue;
      await Deno.copyFile(`${folder}/${name}`, `${build}/${name.replace(/as$/, "ts")}`);
    }
    const output = `${build}/kernel.wasm`;
    const command = [...COMPILER, ...entries.map((each) => `${build}/${each}.ts`), "--outFile", output];
    const result = await runCommand([...command, ...COMPILER_OPTIONS]);
    if (result.code !== 0) throw new Error(`Cannot compile AssemblyScript: ${result.output}`);
    return moduleSource(entries.map((each) => `${each}.as`).join(", "), await Deno.readFile(output));
  } finally {
    await Deno.remove(build, { recursive: true });
  }
}

function moduleSource(names: string, binary: Uint8Array): string {
  return `// Generated from ${names} by \`deno task wasm\`.\n\n` +
    `/** The assembled module, in base64. */\nexport const WASM =\n  "${
      new Uint8Array(binary).toBase64()
    }";\n`;
}

/** Names of the AssemblyScript files that export functions. */
export const KERNEL_ENTRIES = ["product", "quantize", "rows", "attention"];

if (import.meta.main) {
  const text = await Deno.readTextFile(`${SCAN}/scan.wat`);
  await Deno.writeTextFile(`${SCAN}/scan_wasm.ts`, await wasmModule("scan.wat", text));
  const kernel = await assemblyScriptModule(KERNEL, KERNEL_ENTRIES);
  await Deno.writeTextFile(`${KERNEL}/kernel_wasm.ts`, kernel);
}
