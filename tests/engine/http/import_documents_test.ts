import { assertEquals, assertMatch } from "@std/assert";
import { DOC_TYPES } from "../../../src/contract/mod.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

const CREATED = "2024-03-31T07:00:00.000Z";

/** Imports one document and returns its result. */
async function importOne(
  engine: EmbeddedEngine,
  document: Record<string, unknown>,
  options: Record<string, unknown> = {},
) {
  const { status, body } = await engine.call("importDocuments", {
    body: { documents: [document], ...options },
    headers: { "x-kb-actor": "import" },
  });
  assertEquals(status, 200);
  return body.results[0];
}

Deno.test("documents can be imported", async (t) => {
  await using engine = await EmbeddedEngine.open();

  await t.step("an exact import keeps the id, the version and the chunks, and can be repeated", async () => {
    const document = {
      document_id: 40,
      title: "Report",
      doc_type: "pdf",
      text: "First page.\n\nSecond page.",
      chunks: [
        { char_start: 0, char_end: 11, line_start: 1, line_end: 1, page_start: 1, page_end: 1 },
        { char_start: 13, char_end: 25, line_start: 3, line_end: 3, page_start: 2, page_end: 2 },
      ],
      created_at: CREATED,
      version: 7,
      content_hash: "a".repeat(64),
      size_bytes: 5_000,
    };
    assertEquals(await importOne(engine, document, { exact: true }), { status: "created", document_id: 40 });
    assertEquals(await importOne(engine, document, { exact: true }), {
      status: "unchanged",
      document_id: 40,
    });
    const { body } = await engine.call("getDocument", { id: 40 });
    assertEquals([body.version, body.content_hash, body.size_bytes, body.updated_at], [
      7,
      document.content_hash,
      5_000,
      null,
    ]);
    assertEquals(body.chunks.map((each: Record<string, unknown>) => [each.text, each.page_start]), [
      ["First page.", 1],
      ["Second page.", 2],
    ]);
    // An id that a document may have had is not used again.
    const older = await importOne(engine, { document_id: 39, text: "Other" }, { exact: true });
    assertEquals(older, { status: "created", document_id: 41 });
  });

  await t.step("an import keeps times, tags, path and metadata, and makes the text searchable", async () => {
    const { status, document_id: id } = await importOne(engine, {
      title: "Kettle",
      doc_type: "markdown",
      text: "# Kettle\r\n\r\nThe kettle is on the shelf.",
      source_path: "chatgpt/1",
      tags: ["collection:memory", "kitchen"],
      metadata: { model: "x" },
      created_at: "2024-03-31T09:00:00+02:00",
      updated_at: "2024-04-01T00:00:00Z",
    });
    assertEquals(status, "created");
    const { body } = await engine.call("getDocument", { id });
    assertEquals([body.title, body.doc_type, body.source_path, body.version], [
      "Kettle",
      "markdown",
      "chatgpt/1",
      1,
    ]);
    assertEquals([body.created_at, body.updated_at], [CREATED, "2024-04-01T00:00:00.000Z"]);
    assertEquals([body.tags, body.metadata], [["collection:memory", "kitchen"], { model: "x" }]);
    assertEquals(body.chunks[0].text, "# Kettle\n\nThe kettle is on the shelf.");
    const { body: found } = await engine.call("search", { body: { query: "kettle shelf" } });
    assertEquals(found.results[0].document_id, id);
  });

  await t.step("an exact import makes a stored document equal, and keeps its former version", async () => {
    const document = { document_id: 500, text: "The kettle is red.", tags: ["red"], created_at: CREATED };
    await importOne(engine, document, { exact: true });
    await engine.call("changeTags", { id: 500, body: { add: ["mine"] } });
    const edited = { ...document, text: "The kettle is blue.", tags: ["blue"] };
    assertEquals(await importOne(engine, edited, { exact: true }), { status: "updated", document_id: 500 });
    const { body } = await engine.call("getDocument", { id: 500, query: { text: "true" } });
    assertEquals([body.text, body.tags, body.title], [
      "The kettle is blue.",
      ["blue"],
      "The kettle is blue.",
    ]);
    const { body: history } = await engine.call("listRevisions", { id: 500 });
    assertEquals(history.revisions[0].change, "replaced");
    assertEquals(history.revisions[0].changed_by, "import");
  });

  await t.step(
    "a repeated import adds tags, keeps the collection, and leaves a document that was changed here",
    async () => {
      const note = { text: "The kettle is red.", source_path: "memory/1", tags: ["collection:memory"] };
      const { document_id: id } = await importOne(engine, note);
      await engine.call("changeTags", {
        id,
        body: { remove_prefix: "collection:", add: ["collection:mine"] },
      });
      await engine.call("updateNote", { id, body: { text: "The kettle is blue." } });
      assertEquals((await importOne(engine, note)).status, "unchanged");
      assertEquals(
        (await importOne(engine, { ...note, tags: ["collection:memory", "new"] })).status,
        "updated",
      );
      const { body } = await engine.call("getDocument", { id, query: { text: "true" } });
      assertEquals([body.text, body.tags], ["The kettle is blue.", ["collection:mine", "new"]]);
      assertEquals((await importOne(engine, { ...note, text: "The kettle is green." })).status, "updated");
    },
  );

  await t.step(
    "a document of another kind at the path is a conflict, and the other documents are stored",
    async () => {
      await engine.ingest({ text: "A note", source_path: "a.md" });
      const file = { text: "# A file", doc_type: "markdown", source_path: "a.md" };
      const { body } = await engine.call("importDocuments", {
        body: { documents: [file, { text: "Another" }] },
      });
      assertEquals(body.results.map((each: { status: string }) => each.status), ["failed", "created"]);
      assertEquals(body.results[0].code, "conflict");
      assertMatch(body.results[0].error, /^Document \d+ has the source_path "a.md" and is a note/);
      assertEquals((await importOne(engine, file, { overwrite: true })).status, "updated");
    },
  );

  await t.step("chunks outside the text, two collections and large ids are invalid", async () => {
    const chunk = { char_start: 0, char_end: 5, line_start: 1, line_end: 1 };
    for (
      const document of [
        { text: "Four", chunks: [chunk] },
        { text: "Text!", chunks: [{ ...chunk, char_start: 5 }] },
        { text: "Text", tags: ["collection:a", "collection:b"] },
        { text: "Text", document_id: Number.MAX_SAFE_INTEGER },
        { text: " \n" },
        { text: "Text", created_at: "yesterday" },
      ]
    ) {
      const { status, body } = await engine.call("importDocuments", { body: { documents: [document] } });
      assertEquals([status, body.error.code], [400, "invalid"]);
    }
  });

  await t.step("lists by creation have an imported document at its time", async () => {
    const { document_id: id } = await importOne(engine, { text: "Old", created_at: "2001-01-01T00:00:00Z" });
    const { body } = await engine.call("queryDocuments", {
      body: { sort: "created", order: "asc", limit: 1 },
    });
    assertEquals(body.documents.map((each: { document_id: number }) => each.document_id), [id]);
  });

  await t.step("documents of a source are left to their folder", async () => {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/a.md`, "# A");
      const { body: source } = await engine.call("addSource", { body: { name: "docs", path: folder } });
      await engine.call("syncSource", { id: source.source_id, body: { wait_seconds: 20 } });
      const { body } = await engine.call("importDocuments", {
        body: {
          documents: [
            { text: "Other", doc_type: "markdown", source_path: "docs/a.md" },
            { text: "Other", doc_type: "markdown", source_path: "docs/deleted.md", source: "docs" },
            { text: "Other", doc_type: "markdown", source_path: "gone/a.md", source: "gone" },
          ],
          exact: true,
        },
      });
      const statuses = body.results.map((each: { status: string }) => each.status);
      assertEquals(statuses, ["skipped", "skipped", "created"]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
});

const PLAIN_TYPES = ["text", "json", "subtitles", "code", "image"];

Deno.test("the text of an imported document without chunks is Markdown only where its type has Markdown", async () => {
  await using engine = await EmbeddedEngine.open();
  const headings: Record<string, string[]> = {};
  for (const doc_type of DOC_TYPES) {
    const { document_id: id } = await importOne(engine, { doc_type, text: `# Sort\n\n${doc_type} 1` });
    const { body } = await engine.call("getDocument", { id });
    headings[doc_type] = body.chunks[0].heading_path;
  }
  const expected = DOC_TYPES.map((type) => [type, PLAIN_TYPES.includes(type) ? [] : ["Sort"]]);
  assertEquals(headings, Object.fromEntries(expected));

  const code = { doc_type: "code", text: "# Sorts\ndef sort():\n    pass\n", source_path: "src/sort.py" };
  const { document_id: id } = await importOne(engine, code);
  const { body } = await engine.call("getDocument", { id });
  assertEquals(body.chunks.map((each: Record<string, unknown>) => each.heading_path), [["def sort"]]);
});
