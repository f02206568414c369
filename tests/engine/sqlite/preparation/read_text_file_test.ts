import { assertEquals } from "@std/assert";
import { extract } from "../../../../src/extraction/mod.ts";
import { readTextFile } from "../../../../src/engine/sqlite/preparation/read_text_file.ts";
import { TestStore } from "../store/test_store.ts";

const CHUNK = { maxTokens: 64, overlapTokens: 8 };
const read = (text: string | Uint8Array, filename: string, title?: string) =>
  readTextFile({
    bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
    filename,
    title,
    chunk: CHUNK,
  });

const ENGLISH = `---\ntitle: Tea\ntags: [drinks]\ndate: 2024-05-01\n---\n# Kettle\n\n${
  "The cafeteria's tea-kettle is in the cupboard, and getUserName() is a function. ".repeat(12)
}\n## Straße\n\nThe end.\n`;
const GERMAN = `# Der Garten\n\n${
  "Die Kinder spielen im Garten, während die Donaudampfschifffahrt an den Häusern vorbeizieht. ".repeat(8)
}`;

for (const [language, text] of [["English", ENGLISH], ["German", GERMAN]] as const) {
  Deno.test(`a ${language} text is indexed as by the writer`, async () => {
    const document = await read(text, "a.md");
    if (!document) throw new Error("The file must be read");
    const { prepared, ...unprepared } = document;
    const expected = await extract({
      bytes: new TextEncoder().encode(text),
      filename: "a.md",
      contentType: undefined,
    });
    assertEquals([document.title, document.tags], [expected?.title, expected?.tags]);
    assertEquals(
      document.metadata?.["date"],
      language === "English" ? "2024-05-01" : undefined,
    );
    const tables = await Promise.all([document, unprepared].map(async (file) => {
      await using store = await TestStore.open();
      store.write("createJob", {
        spoolFile: "s",
        filename: "a.md",
        contentHash: "h",
        sizeBytes: 1,
        tags: [],
      });
      store.write("claimFiles");
      store.write("finishFile", { ...file, jobId: 1 });
      store.check();
      return ["chunks", "chunks_fts_data", "derived_fts_data", "derived_fts_content"].map((table) =>
        store.db.prepare(`SELECT * FROM ${table}`).all()
      ).concat(store.db.prepare("SELECT language, stemmed_languages, analysis_version FROM documents").all());
    }));
    assertEquals(tables[0], tables[1]);
    assertEquals(prepared.chunks.length > 1, true);
  });
}

Deno.test("other files, and those that cannot become a document, are left to the extraction process", async () => {
  assertEquals(await read("a,b\n1,2\n", "a.csv"), undefined);
  assertEquals(await read("<html><p>Text</p></html>", "a.txt"), undefined);
  assertEquals(await read("%PDF-1.7 text", "a.md"), undefined);
  assertEquals(await read("", "a.md"), undefined);
  assertEquals(await read(" \n\n", "a.md"), undefined);
  assertEquals(await read("---\ntitle: T\n---\n", "a.md"), undefined);
  assertEquals(await read(new Uint8Array([0x47, 0x72, 0xfc, 0x6e]), "a.txt"), undefined);
  assertEquals(await read("word ".repeat(20_000), "a.txt"), undefined);
});
