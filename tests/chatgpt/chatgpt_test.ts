import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { citationUrl, titleOf } from "../../src/chatgpt/citation.ts";
import { fetchDocument } from "../../src/chatgpt/fetch.ts";
import { search } from "../../src/chatgpt/search.ts";
import { EngineError } from "../../src/client/mod.ts";
import { tools } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { startTestServer } from "../support/server.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";

Deno.test("search returns id, title and url of each document once, best first", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const paragraphs = Array.from(
    { length: 60 },
    (_, i) => `Paragraph ${i} of the manual covers revaluation of a pension and other topics. `.repeat(12),
  );
  const long = await kb.note({ text: paragraphs.join("\n\n"), title: "Manual" });
  const page = await kb.note({
    text: "Pension revaluation is tied to average earnings.",
    title: "Pension revaluation",
    source_path: "https://example.com/pensions",
  });
  const { results } = await kb.call(search, { query: "pension revaluation" });
  assertEquals(results, [
    { id: String(page), title: "Pension revaluation", url: "https://example.com/pensions" },
    { id: String(long), title: "Manual", url: `kb://documents/${long}` },
  ]);
});

Deno.test("fetch returns the exact text of a document that search found", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const text = Array.from({ length: 80 }, (_, i) => `Line ${i} of the manual.\n\n  Indented ${i}.`).join(
    "\n",
  );
  const id = await kb.note({ text, title: "Manual", tags: ["b", "a"], collection: "memory" });
  const { results: [found] } = await kb.call(search, { query: "manual" });
  const document = await kb.call(fetchDocument, { id: found!.id });
  assertEquals([document.id, document.title, document.url], [String(id), "Manual", `kb://documents/${id}`]);
  assertEquals(document.text, text);
  const { created_at, updated_at: _, ...metadata } = document.metadata;
  assert(created_at);
  assertEquals(metadata, { collection: "memory", doc_type: "note", tags: "a, b" });
});

Deno.test("fetch names a document that does not exist", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const error = await assertRejects(() => kb.call(fetchDocument, { id: "99" }), EngineError);
  assertEquals(error.code, "not_found");
});

Deno.test("search and fetch work with a third-party engine, whose ids are strings", async () => {
  await using kb = await openHarness({ placement: "over HTTP", handler: thirdPartyEngine() });
  const id = await kb.note({ text: "The kettle is red.\nThe kettle is old." });
  const { results } = await kb.call(search, { query: "kettle" });
  assertEquals(results, [{ id: String(id), title: `Document ${id}`, url: `kb://documents/${id}` }]);
  const { text } = await kb.call(fetchDocument, { id: String(id) });
  assertStringIncludes(text, "The kettle is red.");
  assertStringIncludes(text, "The kettle is old.");
});

Deno.test("a citation links to web addresses only", () => {
  const url = (source_path: string) => citationUrl({ document_id: 1, source_path });
  assertEquals(url("HTTPS://Example.com/ä"), "HTTPS://Example.com/ä");
  for (const path of ["notes/a.md", "javascript:alert(1)", "https://", "https://a b", "file:///etc/passwd"]) {
    assertEquals(url(path), "kb://documents/1");
  }
  assertEquals(citationUrl({ document_id: "a/b" }), "kb://documents/a%2Fb");
  assertEquals(titleOf({ document_id: 1, source_path: "notes/a.md" }), "notes/a.md");
});

Deno.test("KB_MCP_COMPAT=chatgpt adds search and fetch; a result is one text with the structured content", async () => {
  await using server = await startTestServer({ env: { KB_MCP_COMPAT: "chatgpt" } });
  await using agent = await connectAgent(server.url);
  const { tools: listed } = await agent.client.listTools();
  assertEquals(listed.map(({ name }) => name), [...tools.map(({ name }) => name), "search", "fetch"]);
  await agent.call("kb_addnote", { text: "The kettle is red.", source_path: "https://example.com/kettle" });
  for (const [name, args] of [["search", { query: "kettle" }], ["fetch", { id: "1" }]] as const) {
    const { content, structuredContent } = await agent.client.callTool({ name, arguments: args });
    const [item, ...others] = content as { type: string; text: string }[];
    assertEquals(others, []);
    assertEquals(item?.type, "text");
    assertEquals(JSON.parse(item!.text), structuredContent);
  }
});

Deno.test("search and fetch are off by default", async () => {
  await using server = await startTestServer();
  await using agent = await connectAgent(server.url);
  const { tools: listed } = await agent.client.listTools();
  assertEquals(listed.filter(({ name }) => !name.startsWith("kb_")), []);
});
