import { assertEquals } from "@std/assert";
import { assemblyScriptModule, INDEX_KERNEL } from "../../../../scripts/wasm.ts";
import { read } from "../../../packaging/repository.ts";

Deno.test("the embedded WebAssembly of the full-text index matches its source", async () => {
  const made = await assemblyScriptModule(INDEX_KERNEL);
  assertEquals(await read(INDEX_KERNEL.output), made, "run `deno task wasm`");
});
