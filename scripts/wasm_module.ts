import wabt from "wabt";

/** Source text of the TypeScript module that holds a WebAssembly module given as text. */
export async function wasmModule(name: string, text: string): Promise<string> {
  const assembler = await wabt();
  const parsed = assembler.parseWat(name, text, { simd: true });
  try {
    const base64 = new Uint8Array(parsed.toBinary({}).buffer).toBase64();
    return `// Made from ${name} by \`deno task wasm\`.\n\n` +
      `/** The assembled module, in base64. */\nexport const WASM =\n  "${base64}";\n`;
  } finally {
    parsed.destroy();
  }
}
