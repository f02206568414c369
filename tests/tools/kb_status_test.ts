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

for (const version of ["3.0.0", "3.2.7"]) {
  Deno.test(`kb_status lists the tools that an engine of contract ${version} lacks`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: () => Response.json({ version }) });
    const status = await kb.call(kbStatus, {});
    assertEquals(status["unavailable_tools"], ["kb_list", "kb_edit", "kb_history", "kb_restore"]);
  });
}

for (const version of ["3.3.0", "3.10.0", "4.0.0", "2026.11.0", "unknown"]) {
  Deno.test(`kb_status lists no tool as unavailable with an engine of version ${version}`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: () => Response.json({ version }) });
    assertEquals("unavailable_tools" in await kb.call(kbStatus, {}), false);
  });
}
