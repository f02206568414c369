/**
 * `deno task wasm`: assembles the WebAssembly text of the vector scan into the module that the program imports.
 *
 * @module
 */
import wabt from "wabt";

const FOLDER = "src/engine/sqlite/vectors";

/**
 * Assembles WebAssembly text and returns the source of a TypeScript module that exports it as base64.
 *
 * @param name File name of the text, for its header comment.
 */
export async function wasmModule(name: string, text: string): Promise<string> {
  const assembler = await wabt();
  const parsed = assembler.parseWat(name, text, { simd: true });
  try {
    const base64 = new Uint8Array(parsed.toBinary({}).buffer).toBase64();
    return `// Generated from ${name} by \`deno task wasm\`.\n\n` +
      `/** The assembled module, in base64. */\nexport const WASM =\n  "${base64}";\n`;
  } finally {
    parsed.destroy();
  }
}

if (import.meta.main) {
  const text = await Deno.readTextFile(`${FOLDER}/scan.wat`);
  await Deno.writeTextFile(`${FOLDER}/scan_wasm.ts`, await wasmModule("scan.wat", text));
}
