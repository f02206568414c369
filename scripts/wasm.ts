/**
 * `deno task wasm`: builds the WebAssembly of the vector scan, of packed texts, of the text encoder and of the full-text
 * index into the modules that the program imports.
 *
 * @module
 */
import { basename } from "node:path";
import wabt from "wabt";
import { runCommand } from "./run_command.ts";

/** Files of WebAssembly text, without extension. */
export const TEXT_MODULES = [
  ...["scan", "code_scan", "stored_dot"].map((name) => `src/engine/sqlite/vectors/${name}`),
  "src/engine/sqlite/text_packing/text_packing",
];

/** AssemblyScript files that are compiled into one module. */
export interface KernelSource {
  readonly folder: string;
  /** Names of the files, without extension, whose exports the module has. */
  readonly entries: readonly string[];
  /** File for the module. */
  readonly output: string;
  /** Whether threads share the memory of the module. */
  readonly isShared: boolean;
}

/** The kernel of the text encoder. */
export const ENCODER_KERNEL: KernelSource = {
  folder: "src/encoder/kernel",
  entries: ["product", "quantize", "rows", "attention"],
  output: "src/encoder/kernel/kernel_wasm.ts",
  isShared: true,
};

/** The kernel of the full-text index. */
export const INDEX_KERNEL: KernelSource = {
  folder: "src/engine/sqlite/index/kernel",
  entries: [
    ...["leaf_page", "doclist", "chunks", "packed", "scores", "hits", "marks"],
    ...["terms", "directory", "term_filter", "positions"],
  ],
  output: "src/engine/sqlite/index/kernel_wasm.ts",
  isShared: false,
};

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
  // No allocator and no garbage collector: the caller passes addresses of a memory.
  ...["--runtime", "stub", "--use", "abort=", "--enable", "simd", "--enable", "threads"],
  ...["--importMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
];

/**
 * Assembles WebAssembly text and returns the source of a TypeScript module that exports it as base64.
 *
 * @param name File name of the text, for its header comment.
 */
export async function wasmModule(name: string, text: string): Promise<string> {
  const assembler = await wabt();
  const parsed = assembler.parseWat(name, text, { simd: true, relaxed_simd: true });
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
 */
export async function assemblyScriptModule({ folder, entries, isShared }: KernelSource): Promise<string> {
  const build = await Deno.makeTempDir({ prefix: "kb-mcp-wasm-" });
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith(".as")) continue;
      await Deno.copyFile(`${folder}/${name}`, `${build}/${name.replace(/as$/, "ts")}`);
    }
    const output = `${build}/kernel.wasm`;
    const command = [...COMPILER, ...entries.map((each) => `${build}/${each}.ts`), "--outFile", output];
    const memory = isShared ? ["--sharedMemory"] : [];
    const result = await runCommand([...command, ...COMPILER_OPTIONS, ...memory]);
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

if (import.meta.main) {
  for (const path of TEXT_MODULES) {
    const text = await Deno.readTextFile(`${path}.wat`);
    await Deno.writeTextFile(`${path}_wasm.ts`, await wasmModule(`${basename(path)}.wat`, text));
  }
  for (const kernel of [ENCODER_KERNEL, INDEX_KERNEL]) {
    await Deno.writeTextFile(kernel.output, await assemblyScriptModule(kernel));
  }
}
