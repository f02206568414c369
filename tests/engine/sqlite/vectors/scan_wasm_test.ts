import { assertEquals } from "@std/assert";
import { wasmModule } from "../../../../scripts/wasm.ts";
import { read } from "../../../packaging/repository.ts";

Deno.test("the WebAssembly in the program is what its source assembles to", async () => {
  const folder = "src/engine/sqlite/vectors";
  const made = await wasmModule("scan.wat", await read(`${folder}/scan.wat`));
  assertEquals(await read(`${folder}/scan_wasm.ts`), made, "run `deno task wasm`");
});
