/**
 * `deno task wasm`: assembles the WebAssembly of the vector scan into the module that the program imports.
 *
 * @module
 */
import { wasmModule } from "./wasm_module.ts";

const FOLDER = "src/engine/vectors";

await Deno.writeTextFile(
  `${FOLDER}/scan_wasm.ts`,
  await wasmModule("scan.wat", await Deno.readTextFile(`${FOLDER}/scan.wat`)),
);
