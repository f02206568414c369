import { assertEquals } from "@std/assert";
import { kbStatus } from "../../src/tools/kb_status.ts";
import { openHarness } from "../support/harness.ts";

Deno.test("kb_status returns the engine's status unchanged", async () => {
  const engine = {
    version: "3.0.0",
    model: { name: "bge-small" },
    vectors: { dimensions: 384, embedded: 3, total: 7, refused: 0, error: null },
  };
  await using kb = await openHarness({ placement: "embedded", handler: () => Response.json(engine) });
  assertEquals<unknown>((await kb.call(kbStatus, {})).engine, engine);
});
