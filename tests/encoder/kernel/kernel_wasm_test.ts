import { assertEquals } from "@std/assert";
import { assemblyScriptModule, KERNEL_ENTRIES } from "../../../scripts/wasm.ts";
import { read } from "../../packaging/repository.ts";

Deno.test("the embedded WebAssembly of the encoder matches its source", async () => {
  const folder = "src/encoder/kernel";
  const made = await assemblyScriptModule(folder, KERNEL_ENTRIES);
  assertEquals(await read(`${folder}/kernel_wasm.ts`), made, "run `deno task wasm`");
});
