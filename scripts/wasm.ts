/**
 * `deno task wasm`: builds the WebAssembly of the vector scan and of the text encoder into the modules that the program
 * imports.
 *
 * @module
 */
import asc from "assemblyscript/asc";
import wabt from "wabt";

const SCAN = "src/engine/sqlite/vectors";
const KERNEL = "src/encoder/kernel";

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
 * Compiles AssemblyScript and returns the source of a TypeScript module that exports it as base64.
 *
 * The sources have the extension `.as`, since TypeScript's checker does not know their types.
 *
 * @param entries Names of the files, without extension, whose exports the module has.
 * @param read Returns the source of a file by its name.
 */
export async function assemblyScriptModule(
  entries: readonly string[],
  read: (name: string) => Promise<string>,
): Promise<string> {
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main([
    ...entries.map((each) => `${each}.ts`),
    ...["--outFile", "kernel.wasm", "-O3", "--noAssert", "--converge"],
    // No allocator and no garbage collector: the caller passes addresses of a memory that threads share.
    ...["--runtime", "stub", "--use", "abort=", "--enable", "simd", "--enable", "threads"],
    ...["--importMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
  ], {
    readFile: async (path) => {
      const name = /^([a-z_]+)\.ts$/.exec(path)?.[1];
      return name === undefined ? null : await read(`${name}.as`);
    },
    writeFile: (_path, contents) => {
      binary = contents as Uint8Array;
    },
    listFiles: () => [],
  });
  if (error || !binary) throw new Error(`Cannot compile AssemblyScript: ${stderr}`, { cause: error });
  return moduleSource(entries.map((each) => `${each}.as`).join(", "), binary);
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
  const kernel = await assemblyScriptModule(KERNEL_ENTRIES, (name) => Deno.readTextFile(`${KERNEL}/${name}`));
  await Deno.writeTextFile(`${KERNEL}/kernel_wasm.ts`, kernel);
}
