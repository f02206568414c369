import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openHarness } from "../support/harness.ts";
import { readError, readMarkdown } from "../support/read_resource.ts";

Deno.test("a collection lists its own documents, newest first", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const ids = [];
  for (const title of ["First", "Second [draft]"]) {
    ids.push(
      await kb.note({ text: `About ${title}.`, title, collection: "memory", source_path: `${title}.md` }),
    );
  }
  await kb.note({ text: "In another collection.", title: "Other" });
  const today = /\d{4}-\d\d-\d\d/g;
  assertEquals(
    (await readMarkdown(kb, "kb://collections/memory")).replace(today, "DAY"),
    `# Collection memory\n\n2 documents, newest first.\n\n` +
      `- [Second \\[draft\\]](kb://documents/${ids[1]}) — note, DAY, \`Second [draft].md\`\n` +
      `- [First](kb://documents/${ids[0]}) — note, DAY, \`First.md\`\n`,
  );
});

Deno.test("an empty collection explains how to add documents", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  assertMatch(
    await readMarkdown(kb, "kb://collections/workspace"),
    /No documents yet\. Add some with kb_addnote/,
  );
});

Deno.test("a long list is truncated and reports the total and how to find the rest", async () => {
  const documents = Array.from({ length: 100 }, (_, i) => ({
    document_id: i,
    title: `T${i}`,
    doc_type: "note",
    tags: ["collection:documents"],
  }));
  await using kb = await openHarness({
    placement: "embedded",
    handler: () => Response.json({ documents, total: 2345, next_cursor: "x" }),
  });
  const text = await readMarkdown(kb, "kb://collections/documents");
  assertStringIncludes(text, "2345 documents; these are the 100 newest.");
  assertEquals(text.match(/^- \[T\d+\]/gm)?.length, 100);
  assertMatch(text, /use kb_search with collection "documents"/);
  assertEquals(kb.calls[0]?.url.search, "?tag=collection%3Adocuments&limit=100");
});

Deno.test("a total is only reported if the engine knows it", async () => {
  const document = (id: number, tag: string) => ({
    document_id: id,
    title: "T",
    doc_type: "note",
    tags: [tag],
  });
  const mine = document(1, "collection:memory");
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ documents: [mine] }, /\n1 document, newest first\./],
    [{ documents: [mine], next_cursor: "x" }, /\nThe 1 newest documents; the engine does not report/],
    [
      { documents: [mine, document(2, "other")], total: 9 },
      /\nThe 1 newest documents; the engine does not report/,
    ],
  ];
  for (const [response, expected] of cases) {
    await using kb = await openHarness({ placement: "embedded", handler: () => Response.json(response) });
    assertMatch(await readMarkdown(kb, "kb://collections/memory"), expected);
  }
});

Deno.test("the error for an unknown collection lists the known ones", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const message = await readError(kb, "kb://collections/memroy");
  assertStringIncludes(message, 'Did you mean "memory"? Known collections: documents, memory, workspace');
  assertEquals(kb.paths(), ["GET /api/v1/status"]);
});

Deno.test("a collection that is not configured can be read while it has documents", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "The invoice is paid.", collection: "work" });
  assertMatch(await readMarkdown(kb, "kb://collections/work"), /\n1 document, newest first\./);
});
