import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { kbEdit } from "../../src/tools/kb_edit.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { openHarness } from "../support/harness.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { startTestServer } from "../support/server.ts";

Deno.test("an agent edits a note, and two agents with the same version do not overwrite each other", async () => {
  await using engine = await serveEngine({});
  await using server = await startTestServer({ env: { KB_ENGINE_URL: engine.url } });
  await using agent = await connectAgent(server.url);
  await using other = await connectAgent(server.url);
  const { structured: { document_id } } = await agent.call("kb_addnote", { text: "# Shopping\n\n- milk" });
  const calls = [agent, other].map((each, i) =>
    each.call("kb_edit", { document_id, append: `- item ${i}`, if_version: 1 })
  );
  const outputs = (await Promise.all(calls)).map(({ structured }) => structured);
  assertEquals(outputs.map(({ outcome }) => outcome).sort(), ["conflict", "edited"]);
  const conflict = outputs.find(({ outcome }) => outcome === "conflict");
  assertEquals([conflict?.["version"], conflict?.["changed_by"]], [2, "Deno"]);
  // Models that must name every argument send null for omitted ones.
  const { structured } = await agent.call("kb_edit", {
    document_id,
    title: null,
    source_path: null,
    section: { heading: "Shopping", text: "- bread" },
    metadata: { owner: "tim", seen: null },
  });
  assertEquals([structured["outcome"], structured["version"]], ["edited", 3]);
  assertEquals(structured["excerpts"], [{ line: 2, text: "\n- bread" }]);
  assertEquals(structured["metadata"], { owner: "tim" });
  const { isError, text } = await agent.call("kb_edit", { document_id, replace: { old: "butter", new: "" } });
  assertEquals(isError, true);
  assertStringIncludes(text, "replace.old is not in the note");
});

Deno.test("metadata that the engine accepts can be read back, however large and deep", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const { document_id } = await kb.call(kbAddNote, { text: "milk" });
  let deep: unknown = ["x"];
  for (let level = 3; level <= 32; level++) deep = [deep];
  const metadata = { deep, many: new Array<number>(25_000).fill(1) };
  const edited = await kb.call(kbEdit, { document_id: document_id!, metadata });
  const read = await kb.call(kbGet, { document_id: document_id! });
  assertEquals([edited["outcome"], edited["version"], read["version"]], ["edited", 2, 2]);
});

Deno.test("an engine before contract 3.3 gets no edit", async () => {
  const handler = () => Response.json({ version: "3.2.0" });
  await using kb = await openHarness({ placement: "embedded", handler });
  const error = await assertRejects(() => kb.call(kbEdit, { document_id: 1, append: "x" }), EngineError);
  assertEquals([error.code, kb.paths()], ["engine_too_old", ["GET /api/v1/status"]]);
  assertStringIncludes(error.message, "kb_edit needs an engine with contract version 3.3");
});
