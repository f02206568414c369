import { assertEquals } from "@std/assert";
import { exportMarkdown, readExport, runImport } from "../../../src/transfer/mod.ts";
import { add, filesOf, openEngine } from "../engines.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("an export that is imported into an empty knowledge base and exported again is identical", async () => {
  await using source = await openEngine();
  const { client, directory } = source;
  await add(client, { text: "To be deleted, so that an id is missing" });
  await add(client, {
    text:
      "---\nstatus: draft\nrelated: [a, b]\n---\n\n\n# Tea\n\ttabbed\n\n  spaces  \n\n---\n\nGreen tea — 緑茶 🍵.",
    tags: ["collection:memory", "kitchen", "2024"],
  });
  await add(client, {
    text: "Ein Satz auf Deutsch, der lang genug für die Erkennung der Sprache ist.",
    title: "a: b # c",
  });
  const paragraphs = Array.from(
    { length: 80 },
    (_, i) => `## Part ${i}\n\nThe ${i}th part has some words about tea.`,
  );
  await add(client, {
    bytes: encode(`---\ntitle: Long\n---\n# Long\n\n${paragraphs.join("\n\n")}\n`),
    source_path: "guide/Long.md",
    tags: ["collection:documents"],
  });
  await add(client, {
    bytes: encode("plain\r\n\r\ttext"),
    filename: "CON.txt",
    source_path: "guide/CON.txt",
  });
  await add(client, {
    bytes: encode("<h1>Page</h1><p>Hello page"),
    filename: "x.html",
    source_path: "https://example.com/a/?q=1",
  });
  const edited = await add(client, { text: "before", tags: ["collection:memory"] });
  await client.updateNote(edited, { text: "after" });
  await client.deleteDocument(1);
  // The oldest document, with the last id.
  await client.importDocuments({
    documents: [{ text: "Old", created_at: "2001-01-01T00:00:00Z", metadata: {} }],
  });
  const rows = Array.from({ length: 90 }, (_, i) => `| City ${i} | ${i * 1000} |`);
  const table = `| City | Population |\n| --- | ---: |  \n${rows.join("\n")}\n`;
  await add(client, { bytes: encode(table), filename: "table.md", source_path: "guide/table.md" });
  await add(client, { bytes: encode("name,city\nFern,Berlin\n"), source_path: "guide/plants.csv" });
  const report = await exportMarkdown(client, `${directory}/a`);
  assertEquals([report.documents, report.written, report.failures], [9, 9, []]);

  await using target = await openEngine();
  const imported = await runImport(target.client, readExport(`${directory}/a`), { exact: true });
  assertEquals([imported.created, imported.failures], [9, []]);
  await exportMarkdown(target.client, `${directory}/b`);
  const files = await filesOf(`${directory}/a`);
  assertEquals(await filesOf(`${directory}/b`), files);
  assertEquals(Object.keys(files), [
    "documents/guide/Long.md",
    "kb-export.jsonl",
    "memory/Tea.md",
    "memory/after.md",
    "no-collection/Old.md",
    "no-collection/a- b # c.md",
    "no-collection/example.com/a/-q=1.md",
    "no-collection/guide/_CON.txt.md",
    "no-collection/guide/plants.csv.md",
    "no-collection/guide/table.md",
  ]);
  for (const document of (await client.queryDocuments({})).documents ?? []) {
    const { chunks = [], ...before } = await client.document(document.document_id);
    const { chunks: copies = [], ...after } = await target.client.document(document.document_id);
    assertEquals(after, before);
    assertEquals(
      copies.map(({ chunk_id: _, ...rest }) => rest),
      chunks.map(({ chunk_id: _, ...rest }) => rest),
    );
  }
  const again = await runImport(target.client, readExport(`${directory}/a`), { exact: true });
  assertEquals([again.created, again.updated, again.unchanged], [0, 0, 9]);
});
