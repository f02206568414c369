import { assertEquals } from "@std/assert";
import { DocumentListRequest } from "../../../../src/contract/mod.ts";
import { queryDocuments } from "../../../../src/engine/sqlite/store/mod.ts";
import { TestStore } from "./test_store.ts";

Deno.test("a file name is found without its accents, like a title", async () => {
  await using store = await TestStore.open();
  const paths = [
    "Übersicht/Résumé (final).md",
    "straße.txt",
    "отчёт.txt",
    "京都旅行.txt",
    "plain_résumés.txt",
  ];
  for (const [number, sourcePath] of paths.entries()) store.addNote(`${number}`, { sourcePath });
  const found = (title: string) => {
    const { documents = [] } = queryDocuments(store.db, DocumentListRequest.parse({ title }));
    return documents.map(({ document_id }) => Number(document_id)).sort();
  };
  const cases: [string, number[]][] = [
    ["resume", [1, 5]],
    ["RÉSUMÉ.MD", [1]],
    ["resumé final", [1]],
    ["ubersicht/resume", [1]],
    ["ubersicht", []],
    ["STRASSE", [2]],
    ["отчет", [3]],
    ["旅行", [4]],
    ["esume", []],
  ];
  for (const [title, expected] of cases) assertEquals(found(title), expected, title);
});
