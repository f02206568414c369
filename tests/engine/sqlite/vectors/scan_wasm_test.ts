import { assertEquals } from "@std/assert";
import { wasmModule } from "../../../../scripts/wasm.ts";
import { read } from "../../../packaging/repository.ts";

Deno.test("the embedded WebAssembly matches its source", async () => {
  const folder = "src/engine/sqlite/vectors";
  const made = await wasmModule("scan.wat", await read(`${folder}/scan.wat`));
  assertEquals(await read(`${folder}/scan_wasm.ts`), made, "run `deno task wasm`");
});
