import { assertEquals, assertStringIncludes } from "@std/assert";
import { Collections } from "../../src/collections/mod.ts";
import { type HintedPage, type ListPage, resultHint } from "../../src/tools/mod.ts";

const documents = [
  { document_id: 1, source_path: "docs/report.pdf", tags: ["Project"] },
] as unknown as ListPage["documents"];

/** Returns the hint for a page in a store with the document, and the number of lists that it took. */
async function hintFor(page: Omit<HintedPage, "filters">): Promise<[hint: string, lists: number]> {
  let lists = 0;
  const send = () => {
    lists++;
    return Promise.resolve({ documents, total: 1 });
  };
  const filters = { tags: ["project"] };
  return [await resultHint({ filters, ...page }, { collections: new Collections(), send }) ?? "", lists];
}

Deno.test("the first page says which document has a file name, else which tags differ by case, else what is similar", async () => {
  const page = { query: "report.pdf", isEmpty: false, response: { only_similar: true } };
  assertStringIncludes((await hintFor(page))[0], 'is that of document 1 ("docs/report.pdf")');
  assertStringIncludes((await hintFor({ ...page, shown: ["1"] }))[0], 'Other documents have "Project"');
  assertStringIncludes((await hintFor({ isEmpty: false, response: { only_similar: true } }))[0], '"Project"');
});

Deno.test("further pages and searches inside a document only say that results are similar, without a lookup", async () => {
  for (const place of [{ cursor: "c" }, { document_id: 1 }]) {
    const page = { query: "report.pdf", isEmpty: false, ...place };
    assertEquals(await hintFor(page), ["", 0]);
    const [hint, lists] = await hintFor({ ...page, response: { only_similar: true } });
    assertStringIncludes(hint, "No searched text contains a word of the query");
    assertEquals(lists, 0);
  }
});

Deno.test("a search names the words that no text contains", async () => {
  const page = { isEmpty: false, cursor: "c", response: { unknown_words: ["stork", "ibis"] } };
  assertEquals((await hintFor(page))[0], 'No text contains "stork" or "ibis".');
  assertEquals((await hintFor({ ...page, response: { unknown_words: null } }))[0], "");
});

Deno.test("a request without results says which filter excludes all, also inside a document", async () => {
  const send = () => Promise.resolve({ documents: [], total: 0 });
  for (const place of [{}, { document_id: 1 }]) {
    const page = { filters: { tags: ["none"] }, query: "tea", isEmpty: true, ...place };
    const hint = await resultHint(page, { collections: new Collections(), send });
    assertStringIncludes(hint ?? "", "no documents");
  }
});
