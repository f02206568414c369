import { assertEquals } from "@std/assert";
import { assemblyScriptModule, ENCODER_KERNEL } from "../../../scripts/wasm.ts";
import { read } from "../../packaging/repository.ts";

Deno.test("the embedded WebAssembly of the encoder matches its source", async () => {
  const made = await assemblyScriptModule(ENCODER_KERNEL);
  assertEquals(await read(ENCODER_KERNEL.output), made, "run `deno task wasm`");
});
