import { assertEquals } from "@std/assert";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

Deno.test("an edit returns the document without its text, and the changed lines", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({
    text: "# Kitchen\n\nThe kettle is on the shelf.\n\nTea at five.",
  });
  const id = Number(document_id);
  const { status, body, headers } = await engine.call("editDocument", {
    id,
    body: { add_tags: ["kitchen"], replace: { old: "on the shelf", new: "in the sink" } },
  });
  assertEquals([status, headers.get("etag")], [200, '"2"']);
  assertEquals([body.changed, body.restorable_version, body.chunks], [true, 1, undefined]);
  assertEquals(body.excerpts, [{ line: 2, text: "\nThe kettle is in the sink.\n" }]);
  const { body: found } = await engine.call("search", { body: { query: "kettle sink", tags: ["kitchen"] } });
  assertEquals(found.results[0].document_id, id);
});

Deno.test("a path of another document is a conflict that describes it", async () => {
  await using engine = await EmbeddedEngine.open();
  const first = await engine.ingest({ text: "One", source_path: "one.md", tags: "collection:memory" });
  const second = await engine.ingest({ text: "Two" });
  const { status, body } = await engine.call("editDocument", {
    id: Number(second.document_id),
    body: { source_path: "one.md" },
  });
  assertEquals([status, body.error.code], [409, "conflict"]);
  assertEquals(body.error.details, {
    document_id: first.document_id,
    title: "One",
    doc_type: "note",
    collection: "memory",
    size_bytes: 3,
    version: 1,
  });
});

Deno.test("of many concurrent edits of one version, exactly one is made; without a version, all are", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "# List" });
  const id = Number(document_id);
  const edits = (headers?: Record<string, string>) =>
    Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        engine.call("editDocument", { id, body: { append: `- item ${i}` }, ...(headers && { headers }) })),
    );
  const statuses = (await edits({ "if-match": '"1"' })).map(({ status }) => status).sort();
  assertEquals(statuses, [200, ...Array(19).fill(412)]);
  await edits();
  const { body } = await engine.call("getDocument", { id });
  const lines = body.chunks[0].text.split("\n");
  assertEquals([body.version, lines.length, new Set(lines.slice(2)).size], [22, 22, 20]);
});

for (
  const [name, edit, status, code] of [
    ["nothing", {}, 400, "invalid"],
    ["a collection tag", { add_tags: ["collection:memory"] }, 400, "invalid"],
    ["a missing passage", { replace: { old: "Monday", new: "Friday" } }, 400, "invalid"],
    ["an empty passage", { replace: { old: "", new: "Friday" } }, 400, "invalid"],
    ["a title with a line break", { title: "a\nb" }, 400, "invalid"],
  ] as const
) {
  Deno.test(`an edit with ${name} is rejected`, async () => {
    await using engine = await EmbeddedEngine.open();
    const { document_id } = await engine.ingest({ text: "Text" });
    const response = await engine.call("editDocument", { id: Number(document_id), body: edit });
    assertEquals([response.status, response.body.error.code], [status, code]);
  });
}
