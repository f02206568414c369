import { assert, assertEquals } from "@std/assert";
import { memoryCorpus, search, writeCorpus } from "./corpus.ts";

const DOCUMENTS = {
  "red herring": { title: "a", chunks: ["It was a red herring all along"] },
  "apart": { title: "b", chunks: ["The herring was red, the red fish no herring"] },
  "stem": { title: "c", chunks: ["Red herrings, all of them; she runs"] },
  "marked": { title: "d", chunks: ["a red-herring, Naïve\u0301 CAFÉ: running **Straße**"] },
  "title": { title: "On red herring", chunks: ["nothing else"] },
  "heading": { title: "e", chunks: [{ text: "nothing else", headings: ["Fish", "red herring"] }] },
  "lines": { title: "f", chunks: ["red\r\n  herring\u200b; co\u00adopera\u00adtion"] },
  "between": { title: "g", chunks: ["red big herring"] },
  "cjk": { title: "h", chunks: ["今日は東京都へ。京都は東"] },
  "code": { title: "i", chunks: ["Call C++ from x, std::vec and get_user_name(id)"] },
  "c": { title: "j", chunks: ["Call C from x, vec std"] },
} as const;

/** Returns the names of the documents that a query finds. */
async function found(query: string): Promise<string[]> {
  const names = Object.keys(DOCUMENTS);
  const { db } = memoryCorpus(Object.values(DOCUMENTS));
  const { results } = await search(db, { query, top: 50 });
  db.close();
  return results.map(({ document_id }) => names[Number(document_id) - 1] as string).sort();
}

const HERRING = ["heading", "lines", "marked", "red herring", "title"];
const ALL_HERRING = [...HERRING, "apart", "between", "stem"].sort();

Deno.test("every result contains a quoted phrase verbatim, in its title, heading or text", async () => {
  const cases: [string, string[]][] = [
    ['"red herring"', HERRING],
    ['"RED Herring"', HERRING],
    ["“red herring”", HERRING],
    ["«red herring»", HERRING],
    ["„red herring“", HERRING],
    ['"red, herring!"', HERRING],
    ['("red herring")', HERRING],
    ['fish ("red herring"), perhaps?', HERRING],
    ['"red herring" "nothing else"', ["heading", "title"]],
    ['"red herrings"', ["stem"]],
    ['"running"', ["marked"]],
    ['"runs"', ["stem"]],
    ['"naive cafe"', ["marked"]],
    ['"strasse"', ["marked"]],
    ['"cooperation"', ["lines"]],
    ['"東京都"', ["cjk"]],
    ['"京都"', ["cjk"]],
    ['"東"', ["cjk"]],
    ['"std::vec"', ["code"]],
    ['"get user name"', ["code"]],
    ['"C++"', ["code"]],
    ['"Call C"', ["c", "code"]],
    ['"nosuchword"', []],
    ['"red herring" "runs"', []],
  ];
  for (const [query, expected] of cases) assertEquals(await found(query), expected, query);
});

Deno.test("a phrase in many chunks is found in each place and spelling", async () => {
  const documents = [
    ...Object.values(DOCUMENTS),
    ...Array.from({ length: 200 }, (_, index) => ({
      title: `${index}`,
      chunks: [index % 2 === 0 ? `A Red\nHERRING of ${index}` : `${index} red herrings`],
    })),
  ];
  const { db } = memoryCorpus(documents);
  const query = '"red herring"';
  const total = async () => (await search(db, { query, top: 1 })).total;
  assertEquals(await total(), HERRING.length + 100);
  // A normalized text that is stored is the one that counts.
  db.exec("UPDATE chunks SET search_text = 'Red herrings' WHERE text LIKE 'A Red%' AND id % 4 = 0");
  const stored = db.prepare("SELECT count(*) AS n FROM chunks WHERE search_text = 'Red herrings'").get() as {
    n: number;
  };
  assert(stored.n > 0);
  assertEquals(await total(), HERRING.length + 100 - stored.n);
  db.close();
});

Deno.test("an exclusion matches every inflection of its word, a quoted one the words in sequence", async () => {
  const cases: [string, string[]][] = [
    ["herring", ALL_HERRING],
    ["herring -herring", []],
    ["herring -running", ["apart", "between", "heading", "lines", "red herring", "title"]],
    ["herring -nothing", ["apart", "between", "lines", "marked", "red herring", "stem"]],
    ["herring -cafe -RUN", ["apart", "between", "heading", "lines", "red herring", "title"]],
    ['herring -"red herring"', ["apart", "between"]],
    ['herring -"big"', ["apart", "heading", "lines", "marked", "red herring", "stem", "title"]],
    ['"red herring" -nothing -strasse', ["lines", "red herring"]],
    ["herring -nosuchword", ALL_HERRING],
    ["call -C++", ["c"]],
    ["call -std::vec", ["c"]],
    ["call -東京", ["c", "code"]],
    ["東 -東京", []],
    // Not exclusions: a hyphen inside a word, a separate one, a double one.
    ["red-herring", ALL_HERRING],
    ["herring - nothing", ALL_HERRING],
    ["herring --nothing", ALL_HERRING],
  ];
  for (const [query, expected] of cases) assertEquals(await found(query), expected, query);
});

Deno.test("a query of exclusions only is searched as words", async () => {
  assertEquals(await found("-herring"), ALL_HERRING);
  assertEquals(await found('-"red herring"'), ALL_HERRING);
  assertEquals(await found("-nothing -else"), ["heading", "title"]);
});

Deno.test("quotation marks among more than four other words are prose", async () => {
  const short = 'which of these is a "red herring": fish, tea, cats';
  const long = `${short} or dogs or birds`;
  assertEquals(await found(short), HERRING);
  assertEquals(await found(long), ALL_HERRING);
  // An identifier and a sentence without spaces count as one word each.
  assertEquals(await found('"red herring" src/engine/search/query.ts'), HERRING);
  assertEquals(await found('"red herring" 今日は東京都へ行きました'), HERRING);
  // Exclusions still apply.
  assertEquals(await found(`${long} -running`), [
    "apart",
    "between",
    "heading",
    "lines",
    "red herring",
    "title",
  ]);
});

Deno.test("unpaired quotation marks are ignored", async () => {
  for (
    const query of ['"red herring', 'red herring"', 'red 5" herring', `red her"ring herring`, "'red herring'"]
  ) {
    assertEquals(await found(query), ALL_HERRING, query);
  }
});

Deno.test("the response reports the applied phrases and exclusions", async () => {
  const { db } = memoryCorpus(Object.values(DOCUMENTS));
  const applied = async (query: string) => {
    const { phrases, excluded } = (await search(db, { query })).filters_applied ?? {};
    return [phrases, excluded];
  };
  assertEquals(await applied('a " Red herring " -Tea -"green Tea" «x»'), [["Red herring", "x"], [
    "Tea",
    "green Tea",
  ]]);
  assertEquals(await applied("red herring"), [undefined, undefined]);
  assertEquals(await applied("-herring"), [undefined, undefined]);
  db.close();
});

Deno.test("a quoted phrase in more than 2000 chunks matches by stems", async () => {
  const { db } = memoryCorpus([{
    title: "many",
    chunks: Array.from({ length: 2001 }, (_, n) => n < 2000 ? "the results" : "the result"),
  }]);
  assertEquals((await search(db, { query: '"the results"', top: 1 })).total, 2001);
  db.exec("DELETE FROM chunks_fts WHERE rowid = 1");
  assertEquals((await search(db, { query: '"the results"', top: 1 })).total, 1999);
  db.close();
});

Deno.test("a quoted phrase that occurs nowhere is searched for by its words, with a warning", async () => {
  const cases: [string, string[]][] = [
    ['"herring red"', ALL_HERRING],
    ['"run"', ["marked", "stem"]],
    ['"else a"', ["heading", "title"]],
    // The other phrase exists, so that it is required.
    ['"red herring" "nosuchword"', HERRING],
    // Exclusions apply as before.
    ['"herring red" -nothing -running', ["apart", "between", "lines", "red herring"]],
    // Only chunks that are excluded contain it.
    ['cafe "running" -naive', ["stem"]],
  ];
  for (const [query, expected] of cases) assertEquals(await found(query), expected, query);

  const { db } = memoryCorpus(Object.values(DOCUMENTS));
  const { warning, filters_applied } = await search(db, { query: '"herring red" "nothing else"' });
  assertEquals(
    warning,
    'No searched text contains "herring red" verbatim, so that the words were searched for one by one.',
  );
  assertEquals(filters_applied?.phrases, ["nothing else"]);
  db.close();
});

Deno.test("a quoted phrase that only documents outside of the filters contain is searched for by its words", async () => {
  const { db } = memoryCorpus([
    { title: "a", chunks: ["the grey ship"], tags: ["x"] },
    { title: "b", chunks: ["a ship, grey in the fog"], tags: ["y"] },
  ]);
  const titles = async (tags: string[]) =>
    (await search(db, { query: '"grey ship"', tags })).results.map(({ title }) => title);
  assertEquals([await titles(["x"]), await titles(["y"])], [["a"], ["b"]]);
  db.close();
});

Deno.test("a question that quotes a title finds what is said about it, unless a text has the title", async () => {
  const { db } = memoryCorpus([
    { title: "Tim", chunks: ["Tim said that this book about grey reminds him of his time in Seattle"] },
    { title: "Ann", chunks: ["Ann is fond of hiking"] },
  ]);
  const query = 'What does "Fifty Shades of Grey" remind Tim of?';
  const { results, warning } = await search(db, { query });
  assertEquals([results[0]?.title, warning?.includes('"Fifty Shades of Grey"')], ["Tim", true]);
  writeCorpus(db, [{ title: "Review", chunks: ["Fifty Shades of Grey is a novel"] }]);
  const strict = await search(db, { query });
  assertEquals([strict.results.map(({ title }) => title), strict.warning], [["Review"], undefined]);
  db.close();
});

Deno.test("quoted phrases that no chunk has together are explained by a warning", async () => {
  const { db } = memoryCorpus(Object.values(DOCUMENTS));
  const reason =
    "No chunk contains all of the quoted words verbatim: remove quotation marks to search for each word.";
  assertEquals((await search(db, { query: '"red herring" "runs"' })).warning, reason);
  assertEquals((await search(db, { query: '"red herring"' })).warning, undefined);
  assertEquals((await search(db, { query: "whale" })).warning, undefined);
  db.close();
});

Deno.test("a query of exclusions only says so", async () => {
  const { db } = memoryCorpus(Object.values(DOCUMENTS));
  const { warning, total } = await search(db, { query: "-herring" });
  assertEquals([warning?.startsWith("The query has exclusions only"), total], [true, ALL_HERRING.length]);
  db.close();
});
