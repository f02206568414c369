import { assertEquals } from "@std/assert";
import { VECTOR_MODULES, wasmModule } from "../../../../scripts/wasm.ts";
import { read } from "../../../packaging/repository.ts";

Deno.test("the embedded WebAssembly matches its source", async () => {
  const folder = "src/engine/sqlite/vectors";
  for (const name of VECTOR_MODULES) {
    const made = await wasmModule(`${name}.wat`, await read(`${folder}/${name}.wat`));
    assertEquals(await read(`${folder}/${name}_wasm.ts`), made, "run `deno task wasm`");
  }
});
