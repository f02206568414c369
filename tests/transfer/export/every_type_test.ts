import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { DOC_TYPES } from "../../../src/contract/mod.ts";
import { exportMarkdown, readExport, runImport } from "../../../src/transfer/mod.ts";
import { sampleFiles } from "../../support/sample_formats.ts";
import { add, filesOf, openEngine } from "../engines.ts";

/** Formats whose files the engine reads here; documents of the other types are imported. */
const READ = ["csv", "json", "ipynb", "eml", "subtitles", "rst", "code"];

Deno.test("an export and its import keep documents of every type with chunks, warnings and metadata", async () => {
  await using source = await openEngine();
  const { client, directory } = source;
  const rows = Array.from({ length: 90 }, (_, i) => `City ${i},${i * 1000}\n`).join("");
  const encode = (text: string) => new TextEncoder().encode(text);
  const files = [
    ...sampleFiles("The kettle is red").filter(({ format }) => READ.includes(format)),
    { filename: "cities.csv", bytes: encode(`City,Population\n${rows}`) },
    { filename: "broken.json", bytes: encode('{"kettle": red') },
  ];
  await add(client, { text: "A note" });
  const jobs = files.map(({ filename, bytes }) =>
    add(client, { filename, bytes, source_path: `in/${filename}` })
  );
  await Promise.all(jobs);
  const stored = (await client.queryDocuments({ limit: 200 })).documents ?? [];
  const others = DOC_TYPES.filter((type) => !stored.some(({ doc_type }) => doc_type === type));
  await client.importDocuments({
    documents: others.map((doc_type) => ({
      doc_type,
      text: `# Kettle\n\nA kettle of the type ${doc_type}`,
      source_path: `in/kettle.${doc_type}`,
      metadata: { pages: 1 },
      warning: "It may be blue.",
    })),
  });
  await exportMarkdown(client, `${directory}/a`);

  await using target = await openEngine();
  const imported = await runImport(target.client, readExport(`${directory}/a`), { exact: true });
  assertEquals(imported.failures, []);
  await exportMarkdown(target.client, `${directory}/b`);
  assertEquals(await filesOf(`${directory}/b`), await filesOf(`${directory}/a`));
  const { documents = [] } = await client.queryDocuments({ limit: 200 });
  assertEquals(new Set(documents.map(({ doc_type }) => doc_type)), new Set<string>(DOC_TYPES));
  const seen = { repeated: 0, warnings: 0, metadata: 0 };
  for (const { document_id: id } of documents) {
    // The links between messages and their attachments are not exported.
    const { chunks = [], attachments: _, parent_id: __, ...before } = await client.document(id);
    const { chunks: copies = [], ...after } = await target.client.document(id);
    assertEquals(after, before);
    const layout = (each: typeof chunks) => each.map(({ chunk_id: _, ...rest }) => rest);
    assertEquals(layout(copies), layout(chunks));
    seen.repeated += chunks.filter(({ repeated_chars }) => repeated_chars).length;
    if (after.warning) seen.warnings++;
    if (after.metadata) seen.metadata++;
  }
  assert(seen.repeated > 0);
  assert(seen.warnings > others.length);
  assert(seen.metadata > others.length);
  const again = await runImport(target.client, readExport(`${directory}/a`), { exact: true });
  assertEquals([again.unchanged, again.updated, again.failures], [documents.length, 0, []]);

  // An edited file has no chunks in the export: they follow the type.
  const path = `${directory}/a/no-collection/in/sample.py.md`;
  await Deno.writeTextFile(path, `${await Deno.readTextFile(path)}\n# Boil\ndef boil():\n    pass\n`);
  const edited = await runImport(target.client, readExport(`${directory}/a`), { exact: true });
  assertEquals([edited.updated, edited.failures], [1, []]);
  const [code] = (await target.client.documents({ source_path: "in/sample.py" })).documents;
  const { doc_type, chunks } = await target.client.document(code!.document_id);
  assertEquals(doc_type, "code");
  assertStringIncludes(chunks?.[0]?.text ?? "", "# Boil\ndef boil()");
});
