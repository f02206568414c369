import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { describeError, tools } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";

const CALLS: Record<string, Record<string, unknown>> = {
  kb_search: { query: "x" },
  kb_get: { document_id: 1 },
  kb_addnote: { text: "x" },
  kb_update_note: { document_id: 1, text: "x" },
  kb_edit: { document_id: 1, append: "x" },
  kb_set_collection: { document_id: 1, collection: null },
  kb_delete: { document_id: 1 },
  kb_history: { document_id: 1 },
  kb_restore: { document_id: 1 },
  kb_jobs: {},
  kb_status: {},
};

for (const [name, args] of Object.entries(CALLS)) {
  Deno.test(`${name}: the error of an unreachable engine names its address`, async () => {
    const handler = () => {
      throw new TypeError("connection refused (os error 111)");
    };
    await using kb = await openHarness({ placement: "embedded", handler });
    const tool = tools.find((each) => each.name === name)!;
    const error = await assertRejects(() => kb.call(tool, args), EngineError);
    assertEquals(error.code, "unreachable");
    const text = describeError(error, { tool: name, log: kb.context.log });
    assertMatch(text, /http:\/\/embedded/);
    assertMatch(text, /unreachable/i);
    assertEquals(text.includes("os error"), false);
  });
}
