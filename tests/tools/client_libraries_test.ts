/**
 * Rules that the libraries between this server and a model have for input schemas. One tool that breaks such a rule can
 * keep a framework from using any of the tools.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { chatgptTools } from "../../src/chatgpt/mod.ts";
import type { JsonSchema } from "../../src/mcp/compact_schema.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { sourceTools } from "../../src/source_tools/mod.ts";
import { kbJobs } from "../../src/tools/kb_jobs.ts";
import { kbList } from "../../src/tools/kb_list.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { tools } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";

/** What the converters of the frameworks know, and the grammars of local models. llguidance fails on `propertyNames`. */
const KEYWORDS = new Set([
  "type",
  "description",
  "properties",
  "required",
  "items",
  "enum",
  "default",
  "minimum",
  "maximum",
]);

/** Yields a schema and its subschemas. */
function* schemasOf(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  const { properties = {}, items } = schema as {
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
  };
  for (const inner of [...Object.values(properties), ...(items ? [items] : [])]) yield* schemasOf(inner);
}

for (const tool of listTools([...tools, ...sourceTools, ...chatgptTools]).tools) {
  const schemas = [...schemasOf(tool.inputSchema)];

  // google-genai takes `additionalProperties: false` for a schema (python-genai issue 2393). Genkit's plugin for Google drops
  // an argument with `anyOf`, and Vertex AI refuses `anyOf` next to a description.
  Deno.test(`${tool.name} has only keywords that client libraries know`, () => {
    const keywords = schemas.flatMap((schema) => Object.keys(schema));
    assertEquals(keywords.filter((keyword) => !KEYWORDS.has(keyword)), []);
  });

  // DSPy, Semantic Kernel and AutoGen fail on a list of types, and LlamaIndex uses its first. Gemini requires a type.
  Deno.test(`${tool.name} has one type for each argument`, () => {
    for (const { type } of schemas) assertEquals(typeof type, "string");
  });

  Deno.test(`${tool.name} has items for all arrays, as VS Code and OpenAI require`, () => {
    for (const { type, items } of schemas) assertEquals(type === "array", items !== undefined);
  });

  Deno.test(`${tool.name} has choices of texts only, as Gemini requires`, () => {
    for (const { type, enum: choices } of schemas) assert(choices === undefined || type === "string");
  });

  // 1,024 characters: OpenAI. Name: OpenAI, Bedrock and Gemini have 64 characters, Cursor 60 with the name of the server.
  Deno.test(`${tool.name} has a name and a description within the limits of the providers`, () => {
    assertMatch(tool.name, /^[a-z][a-z_]{0,29}$/);
    assert(tool.description.length <= 1_024, `${tool.description.length}`);
  });
}

Deno.test("what is listed as text is read from a text: ids, several collections, and null", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const document_id = String(await kb.note({ text: "Ines leads the team.", collection: "memory" }));
  const found = await kb.call(kbSearch, { query: "Ines", document_id, collection: "memory, documents" });
  assertEquals(found.results.map((result) => String(result.document_id)), [document_id]);
  const listed = await kb.call(kbList, { collection: "memory, documents" });
  assertEquals(listed.documents?.length, 1);
  const moved = await kb.call(kbSetCollection, { document_id, collection: "null" });
  assertEquals([moved.collection, moved.previous_collection], [null, "memory"]);
  const { jobs } = await kb.call(kbJobs, { job_id: "1" });
  assertEquals(jobs.length, 1);
});
