import { basename } from "node:path";
import { assertEquals } from "@std/assert";
import { TEXT_MODULES, wasmModule } from "../../scripts/wasm.ts";
import { read } from "../packaging/repository.ts";

Deno.test("the embedded WebAssembly matches its source", async () => {
  for (const path of TEXT_MODULES) {
    const made = await wasmModule(`${basename(path)}.wat`, await read(`${path}.wat`));
    assertEquals(await read(`${path}_wasm.ts`), made, "run `deno task wasm`");
  }
});
