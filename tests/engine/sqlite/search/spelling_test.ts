import { assert, assertEquals } from "@std/assert";
import { alignmentDistance, wordOf } from "../../../../src/engine/sqlite/search/spelling.ts";
import { seededRandom } from "../../../support/random.ts";
import { memoryCorpus, search } from "./corpus.ts";

const distance = (a: string, b: string, most = 9) => alignmentDistance([...a], [...b], most);

Deno.test("a letter more, less or other, or two exchanged, is one mistake", () => {
  const cases: [string, string, number][] = [
    ["", "", 0],
    ["kettle", "kettle", 0],
    ["kettl", "kettle", 1],
    ["kettlee", "kettle", 1],
    ["ketxle", "kettle", 1],
    ["ektle", "kettle", 2],
    ["ekttle", "kettle", 1],
    ["retreival", "retrieval", 1],
    ["ca", "abc", 3],
    ["", "abc", 3],
    ["été", "ete", 2],
    ["💡a", "💡b", 1],
  ];
  for (const [a, b, expected] of cases) {
    assertEquals(distance(a, b), expected, `${a}, ${b}`);
    assertEquals(distance(b, a), expected, `${b}, ${a}`);
  }
});

Deno.test("a distance above what is asked for is above it, whatever it is", () => {
  const { int, pick } = seededRandom(4);
  const word = () => Array.from({ length: int(8) }, () => pick([..."abc"])).join("");
  for (let n = 0; n < 3000; n++) {
    const [a, b] = [word(), word()];
    const whole = distance(a, b);
    for (const most of [0, 1, 2, 3]) {
      assertEquals(
        Math.min(distance(a, b, most), most + 1),
        Math.min(whole, most + 1),
        `${a}, ${b}, ${most}`,
      );
    }
  }
});

/** What a word is corrected to. */
async function corrected(texts: readonly string[], query: string): Promise<string | undefined> {
  const { db } = memoryCorpus(texts.map((text) => ({ title: "t", chunks: [text] })));
  const { corrections } = await search(db, { query });
  db.close();
  return corrections?.[0]?.used;
}

Deno.test("a word stands for the nearest term of the index, and of those for the most frequent", async () => {
  const cases: [texts: string[], word: string, expected: string | undefined][] = [
    [["kettl"], "ketl", "kettl"],
    [["kettl kettlx", "kettlx"], "kettlz", "kettlx"],
    [["kettl kettlx kettlx kettlx", "kettl"], "kettlz", "kettl"],
    [["heron"], "heorn", "heron"],
    // Two mistakes are one too many in a short word.
    [["heron"], "heorm", undefined],
    [["abbreviat"], "abreviatt", "abbreviat"],
    [["abbreviat"], "abrvviatt", undefined],
    // Nearer comes before more frequent.
    [["abbreviat", "abbrevixx", "abbrevixx abbreviyx", "abbrevixx"], "abbreviaa", "abbreviat"],
    // The first letter is taken to be right.
    [["kettl"], "cettl", undefined],
    [["dog"], "dgo", undefined],
    [["2026 e1001 x86abc"], "2027", undefined],
    [["e1001x"], "e1002x", undefined],
    [["x".repeat(33)], "x".repeat(34), undefined],
    [["x".repeat(31)], "x".repeat(32), "x".repeat(31)],
    [["москва"], "мосвка", "москва"],
    // A mistake in the ending, which hides the stem: the longest term that the word begins with.
    [["relevance"], "relevacne", "relevance"],
    [["circulation circus"], "circulaton", "circulation"],
    [["circus"], "circulaton", undefined],
    // The stemmer takes too much off it.
    [["embeddings"], "embed", "embeddings"],
    [[], "kettle", undefined],
  ];
  for (const [texts, word, expected] of cases) assertEquals(await corrected(texts, word), expected, word);
});

Deno.test("only so many words of one query are corrected", async () => {
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

Deno.test("an unknown name in a question that finds enough is no mistake to mend", async () => {
  const texts = Array.from({ length: 10 }, () => "what colour a red kettle is, Anne");
  assertEquals(await corrected(texts, "colour of the kettle"), undefined);
  assertEquals(await corrected(texts, "which colour has the red kettle of Anna"), undefined);
  assertEquals(await corrected(texts, "colour Anna"), "anne");
  assertEquals(await corrected(texts.slice(0, 9), "which colour has the red kettle of Anna"), "anne");
});

Deno.test("a word that only deleted texts had is nothing to find", async () => {
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

Deno.test("a term is shown as the word that it was found as", () => {
  assertEquals(wordOf("retriev", ["no such", "Retrieval, and retrieving"]), "retrieval");
  assertEquals(wordOf("creme", ["Crème brûlée"]), "creme");
  assertEquals(wordOf("retriev", ["nothing"]), "retriev");
  assertEquals(wordOf("retriev", []), "retriev");
});

const TEXTS = [
  { title: "Vectors", chunks: [{ text: "Retrieval of each paragraph", headings: ["Overview"] }] },
  { title: "Misspelled", chunks: ["The adress, as some write"] },
  { title: "Post", chunks: ["An address"] },
  { title: "Kitchen", chunks: [{ text: "Where things are kept", headings: ["Cupboards"] }] },
];

Deno.test("a search says which words it has taken for others, as they stand in what it found", async () => {
  const { db } = memoryCorpus(TEXTS);
  const cases: [query: string, corrections: [string, string][] | undefined, first: string | undefined][] = [
    ["retreival", [["retreival", "retrieval"]], "Vectors"],
    ["Kicthen", [["kicthen", "kitchen"]], "Kitchen"],
    ["cupbaord", [["cupbaord", "cupboards"]], "Kitchen"],
    ["RETREIVAL cupbaords", [["retreival", "retrieval"], ["cupbaords", "cupboards"]], "Kitchen"],
    ["paragraph of retreival", [["retreival", "retrieval"]], "Vectors"],
    // It is a word here, be it a wrong one.
    ["adress", undefined, "Misspelled"],
    ["retrieving", undefined, "Vectors"],
    ["nothingofthekind", undefined, undefined],
    ["paragraph 2077", undefined, "Vectors"],
    // Parts of a name are not corrected.
    ["paragraph_retreival", undefined, "Vectors"],
    // Whoever quotes wants these very letters, and what is excluded is not found in another spelling.
    ['"retreival"', undefined, undefined],
    ["retreival -paragraph", undefined, undefined],
  ];
  for (const [query, corrections, title] of cases) {
    const answer = await search(db, { query });
    const found = answer.corrections?.map(({ word, used }) => [word, used]);
    assertEquals(found, corrections, query);
    assertEquals(answer.results[0]?.title ?? undefined, title, query);
  }
  db.close();
});

Deno.test("a word of another spelling counts half of what the word itself would", async () => {
  const { db } = memoryCorpus([{ title: "a", chunks: ["heron"] }, { title: "b", chunks: ["other"] }]);
  const score = async (query: string) => (await search(db, { query })).results[0]?.score ?? NaN;
  assertEquals(await score("heorn"), await score("heron") / 2);
  db.close();
});

Deno.test("snippets show the word that was found", async () => {
  const { db } = memoryCorpus([{
    title: "a",
    chunks: ["filler ".repeat(200) + "the heron " + "more ".repeat(200)],
  }]);
  const { results: [result] } = await search(db, { query: "heorn", detail: "snippet" });
  assert(result?.text.includes("heron"));
  db.close();
});

Deno.test("a misspelled word that is found by its stem is said too, another form of it is not", async () => {
  const { db } = memoryCorpus([{ title: "t", chunks: ["Embedding models, running and configured"] }]);
  const said = async (query: string) => (await search(db, { query })).corrections;
  assertEquals(await said("embeding models"), [{ word: "embeding", used: "embedding" }]);
  assertEquals(await said("runing"), [{ word: "runing", used: "running" }]);
  for (const query of ["embeddings", "embedded", "run", "runs", "configures", "model", "Embedding"]) {
    assertEquals(await said(query), undefined, query);
  }
  db.close();
});

Deno.test("the beginning of a long word finds it, and is told", async () => {
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
