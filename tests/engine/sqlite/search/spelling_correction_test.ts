import { assert, assertEquals } from "@std/assert";
import { memoryCorpus, search } from "./corpus.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/mod.ts";
import { TestStore } from "../store/test_store.ts";
import { searcherWith } from "./vectors.ts";

/** Returns the first correction of a query. */
async function corrected(texts: readonly string[], query: string): Promise<string | undefined> {
  const { db } = memoryCorpus(texts.map((text) => ({ title: "t", chunks: [text] })));
  const { corrections } = await search(db, { query });
  db.close();
  return corrections?.[0]?.used;
}

Deno.test("a word is corrected to the nearest term, the most frequent of several", async () => {
  const cases: [texts: string[], word: string, expected: string | undefined][] = [
    [["kettl"], "ketl", "kettl"],
    [["kettl kettlx", "kettlx"], "kettlz", "kettlx"],
    [["kettl kettlx kettlx kettlx", "kettl"], "kettlz", "kettl"],
    [["heron"], "heorn", "heron"],
    // A short word is corrected at edit distance 1 only.
    [["heron"], "heorm", undefined],
    [["abbreviat"], "abreviatt", "abbreviat"],
    [["abbreviat"], "abrvviatt", undefined],
    // A nearer term wins over a more frequent one.
    [["abbreviat", "abbrevixx", "abbrevixx abbreviyx", "abbrevixx"], "abbreviaa", "abbreviat"],
    // The first letter may be wrong, missing, superfluous or transposed.
    [["kettle"], "cettle", "kettle"],
    [["kettle"], "ettle", "kettle"],
    [["kettle"], "skettle", "kettle"],
    [["kettle"], "ektle", undefined],
    [["kettle"], "ekttle", "kettle"],
    [["москва"], "носква", "москва"],
    [["αθηνα"], "εθηνα", "αθηνα"],
    [["किताब"], "गिताब", "किताब"],
    // A mistake in the ending of a long word.
    [["generalization"], "generalizatoin", "generalization"],
    [["characteristically"], "characteristicaly", "characteristically"],
    // Stop words, and words with very short stems, are not corrections.
    [["their used"], "ntheir", undefined],
    [["dog"], "dgo", undefined],
    [["2026 e1001 x86abc"], "2027", undefined],
    [["e1001x"], "e1002x", undefined],
    [["x".repeat(33)], "x".repeat(34), undefined],
    [["x".repeat(31)], "x".repeat(32), "x".repeat(31)],
    [["москва"], "мосвка", "москва"],
    // A mistake in the ending prevents stemming: the longest term that is a prefix.
    [["relevance"], "relevacne", "relevance"],
    [["circulation circus"], "circulaton", "circulation"],
    [["circus"], "circulaton", undefined],
    // The stem of "embed" is shorter than that of "embeddings".
    [["embeddings"], "embed", "embeddings"],
    [[], "kettle", undefined],
  ];
  for (const [texts, word, expected] of cases) assertEquals(await corrected(texts, word), expected, word);
});

Deno.test("at most four words of a query are corrected", async () => {
  const { db } = memoryCorpus([{ title: "t", chunks: ["alpha bravo charli delta echoo foxtrot"] }]);
  const { corrections } = await search(db, { query: "alphx bravx charlx deltx echox foxtrox" });
  assertEquals(corrections?.map(({ word, used }) => `${word} ${used}`), [
    "alphx alpha",
    "bravx bravo",
    "charlx charli",
    "deltx delta",
  ]);
  db.close();
});

Deno.test("an unknown name in a question with enough matches is not corrected", async () => {
  const texts = Array.from({ length: 10 }, () => "what colour a red kettle is, Anne");
  assertEquals(await corrected(texts, "colour of the kettle"), undefined);
  assertEquals(await corrected(texts, "which colour has the red kettle of Annu"), undefined);
  assertEquals(await corrected(texts, "colour Annu"), "anne");
  assertEquals(await corrected(texts.slice(0, 9), "which colour has the red kettle of Annu"), "anne");
});

Deno.test("a word is not corrected to a term of deleted chunks only", async () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["heron"] }, { title: "b", chunks: ["other"] }]);
  db.exec(`
    INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 0);
    DELETE FROM chunks_fts WHERE rowid = 1;
    INSERT INTO removed_chunks (chunk_id) VALUES (1);
    DELETE FROM documents WHERE id = 1;
  `);
  const { results, corrections } = await search(db, { query: "heorn" });
  assertEquals([results.length, corrections], [0, undefined]);
  db.close();
});

Deno.test("a correction that was found before a commit is not used after it", async () => {
  await using store = await TestStore.open();
  await store.addNote("kettl");
  using db = openForReading(store.dir);
  const searcher = new Searcher({ db });
  const used = async () => (await searcher.search({ query: "kettlz", mode: "fts" })).corrections?.[0]?.used;
  assertEquals([await used(), await used()], ["kettl", "kettl"]);
  await store.addNote("kettlx kettlx");
  await store.addNote("kettlx");
  assertEquals([await used(), await used()], ["kettlx", "kettlx"]);
});

const TEXTS = [
  { title: "Vectors", chunks: [{ text: "Retrieval of each paragraph", headings: ["Overview"] }] },
  { title: "Misspelled", chunks: ["The adress, as some write"] },
  { title: "Post", chunks: ["An address"] },
  { title: "Kitchen", chunks: [{ text: "Where things are kept", headings: ["Cupboards"] }] },
];

Deno.test("the response reports corrections as the results spell them", async () => {
  const { db } = memoryCorpus(TEXTS);
  const cases: [query: string, corrections: [string, string][] | undefined, first: string | undefined][] = [
    ["retreival", [["retreival", "retrieval"]], "Vectors"],
    ["Kicthen", [["kicthen", "kitchen"]], "Kitchen"],
    ["cupbaord", [["cupbaord", "cupboards"]], "Kitchen"],
    ["RETREIVAL cupbaords", [["retreival", "retrieval"], ["cupbaords", "cupboards"]], "Kitchen"],
    ["paragraph of retreival", [["retreival", "retrieval"]], "Vectors"],
    // The misspelled word occurs in a document.
    ["adress", undefined, "Misspelled"],
    ["retrieving", undefined, "Vectors"],
    ["nothingofthekind", undefined, undefined],
    ["paragraph 2077", undefined, "Vectors"],
    // Subwords are not corrected.
    ["paragraph_retreival", undefined, "Vectors"],
    // A quoted phrase that occurs nowhere is searched for by its words; exclusions apply to corrections.
    ['"retreival"', [["retreival", "retrieval"]], "Vectors"],
    ['"kitchen cupboards"', undefined, "Kitchen"],
    ["retreival -paragraph", undefined, undefined],
  ];
  for (const [query, corrections, title] of cases) {
    const response = await search(db, { query });
    const found = response.corrections?.map(({ word, used }) => [word, used]);
    assertEquals(found, corrections, query);
    assertEquals(response.results[0]?.title ?? undefined, title, query);
  }
  db.close();
});

Deno.test("a corrected word has half the weight of the word itself", async () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["heron"] }, { title: "b", chunks: ["other"] }]);
  const score = async (query: string) => (await search(db, { query })).results[0]?.score ?? NaN;
  assertEquals(await score("heorn"), await score("heron") / 2);
  db.close();
});

Deno.test("a chunk with the word that was meant ranks above one with another form of it", async () => {
  const { db } = memoryCorpus(
    ["offered", "offers", "offering"].map((title) => ({ title, chunks: ["text"] })),
  );
  const { results: [first], corrections } = await search(db, { query: "ofering" });
  assertEquals([first?.title, corrections], ["offering", [{ word: "ofering", used: "offering" }]]);
  db.close();
});

Deno.test("snippets are cut around the corrected word", async () => {
  const { db } = memoryCorpus([{
    title: "a",
    chunks: ["filler ".repeat(200) + "the heron " + "more ".repeat(200)],
  }]);
  const { results: [result] } = await search(db, { query: "heorn", detail: "snippet" });
  assert(result?.text.includes("heron"));
  db.close();
});

Deno.test("a misspelled word that matches by its stem is reported, another inflection is not", async () => {
  const { db } = memoryCorpus([{ title: "t", chunks: ["Embedding models, running and configured"] }]);
  const reported = async (query: string) => (await search(db, { query })).corrections;
  assertEquals(await reported("embeding models"), [{ word: "embeding", used: "embedding" }]);
  assertEquals(await reported("runing"), [{ word: "runing", used: "running" }]);
  for (const query of ["embeddings", "embedded", "run", "runs", "configures", "model", "Embedding"]) {
    assertEquals(await reported(query), undefined, query);
  }
  db.close();
});

Deno.test("a prefix of a long term matches it, and is reported", async () => {
  const hash = "9f86d081884c7d659a2feaa0c55ad015";
  const { db } = memoryCorpus([{
    title: "t",
    chunks: [`commit ${hash} of the internationalization branch`],
  }]);
  const { results, corrections } = await search(db, { query: "9f86d08" });
  assertEquals([results.length, corrections], [1, [{ word: "9f86d08", used: hash }]]);
  assertEquals((await search(db, { query: "9f86" })).results.length, 0);
  db.close();
});

Deno.test("a chunk with the correction of the whole query ranks above chunks that are hardly similar", async () => {
  const texts = ["the kettle", "a heron", "blue water"];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "t", chunks: [text] })));
  const similarities = new Map([[1, 0.05], [2, 0.2], [3, 0.15]]);
  const { results } = await searcherWith(db, similarities).search({ query: "kettel", mode: "hybrid" });
  db.close();
  assertEquals(results[0]?.text, "the kettle");
});

Deno.test("a frequent word with a short stem is not corrected to another word", async () => {
  const cases: [texts: string[], word: string, expected: string | undefined][] = [
    [["feed"], "feelings", undefined],
    [["farm"], "warm", undefined],
    [["feed"], "feedn", "feed"],
    [["farm"], "fram", "farm"],
    // Frequent misspellings of longer words.
    [["receive"], "recieve", "receive"],
    [["address"], "adress", "address"],
    [["occurred"], "occured", "occurred"],
    // The stem of "embed" is shorter than that of "embeddings".
    [["embeddings"], "embed", "embeddings"],
  ];
  for (const [texts, word, expected] of cases) assertEquals(await corrected(texts, word), expected, word);
});
