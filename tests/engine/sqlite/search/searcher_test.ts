import { registerFunctions } from "../../../../src/engine/sqlite/store/mod.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { SearchResponse } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { syntheticText } from "../../../bench/corpus.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { type CorpusDocument, createSchema, memoryCorpus, search, writeCorpus } from "./corpus.ts";

/** Returns the titles of the results. */
async function titles(db: DatabaseSync, query: string, top = 10): Promise<string[]> {
  return (await search(db, { query, top })).results.map(({ title }) => String(title));
}

function note(title: string, text: string, more: Partial<CorpusDocument> = {}): CorpusDocument {
  return { title, chunks: [text], ...more };
}

Deno.test("a result contains the chunk, its position, its document and the sorted tags", async () => {
  const { db, ids } = memoryCorpus([{
    title: "Kettle manual",
    chunks: [
      "Nothing here.",
      { text: "Descale the kettle\nwith vinegar.", headings: ["Care", "Descaling"], line: 12, page: 3 },
    ],
    tags: ["kitchen", "collection:documents", "a"],
    docType: "pdf",
    sourcePath: "/manuals/kettle.pdf",
    createdAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-02-02T00:00:00.000Z",
  }]);
  const response = await search(db, { query: "vinegar", top: 10 });
  const { score, ...result } = response.results[0] ?? { score: 0 };
  assert(score > 0);
  assertEquals(response.mode, "fts");
  assertEquals(result, {
    chunk_id: 2,
    document_id: ids[0],
    index: 1,
    language: null,
    text: "Descale the kettle\nwith vinegar.",
    snippet: "Descale the kettle with vinegar.",
    heading_path: ["Care", "Descaling"],
    page_start: 3,
    page_end: null,
    line_start: 12,
    line_end: null,
    char_start: null,
    char_end: null,
    title: "Kettle manual",
    doc_type: "pdf",
    source_path: "/manuals/kettle.pdf",
    tags: ["a", "collection:documents", "kitchen"],
    created_at: "2026-01-02T03:04:05.678Z",
    updated_at: "2026-02-02T00:00:00.000Z",
  });
  assert(SearchResponse.safeParse(response).success);
  db.close();
});

Deno.test("a word weighs more in a heading than in the text, and most in the title", async () => {
  const { db } = memoryCorpus([
    { title: "c", chunks: [{ text: "one heron two", headings: ["alpha beta"] }] },
    { title: "b", chunks: [{ text: "one two three", headings: ["heron beta"] }] },
    { title: "heron", chunks: [{ text: "one two three", headings: ["alpha beta"] }] },
    { title: "other", chunks: ["nothing"] },
  ]);
  assertEquals(await titles(db, "heron"), ["heron", "b", "c"]);
  db.close();
});

Deno.test("a compound in a title does not outweigh the other words of a query", async () => {
  const { db } = memoryCorpus([
    note("Real-time clocks", "How to set the clock of a computer."),
    note(
      "Memory",
      "Garbage collection frees memory that a program has used before.",
    ),
    ...Array.from({ length: 30 }, (_, n) => note(`filler ${n}`, "In real life, time is short.")),
    ...Array.from({ length: 30 }, (_, n) => note(`other ${n}`, "Nothing of interest.")),
    ...Array.from({ length: 3 }, (_, n) => note(`city ${n}`, "Garbage is burnt.")),
    ...Array.from({ length: 3 }, (_, n) => note(`museum ${n}`, "A collection of stamps.")),
  ]);
  assertEquals(await titles(db, "real-time garbage collection", 2), ["Memory", "Real-time clocks"]);
  db.close();
});

Deno.test("any word matches, and chunks with more, rarer or repeated words rank higher", async () => {
  const { db } = memoryCorpus([
    note("common", "alpha gamma gamma gamma"),
    note("rare", "beta gamma gamma gamma"),
    note("both", "alpha beta gamma gamma"),
    ...Array.from({ length: 9 }, (_, n) => note(`filler ${n}`, "alpha delta delta delta")),
  ]);
  assertEquals(await titles(db, "alpha beta", 3), ["both", "rare"]);
  const { results } = await search(db, { query: "alpha beta", top: 3, include_weak: true });
  assertEquals(results.map(({ title }) => title), ["both", "rare", "common"]);
  assertEquals(await titles(db, "What is the beta?"), ["rare", "both"]);
  // Repeated often enough, a common word outweighs a rare one.
  assertEquals(await titles(db, "beta delta", 1), ["rare"]);
  assertEquals(await titles(db, "beta delta delta delta delta delta delta delta", 1), ["filler 0"]);
  const once = (await search(db, { query: "alpha beta", top: 1 })).results[0]?.score ?? 0;
  const twice = (await search(db, { query: "alpha beta beta", top: 1 })).results[0]?.score ?? 0;
  assert(twice > once);
  db.close();
});

Deno.test("a query of stop words only is searched with them", async () => {
  const { db } = memoryCorpus([
    note("Hamlet", "To be, or not to be, that is the question"),
    note("x", "Something else"),
  ]);
  assertEquals(await titles(db, "to be or not to be"), ["Hamlet"]);
  assertEquals(await titles(db, "be question nothing"), ["Hamlet"]);
  db.close();
});

Deno.test("words match regardless of inflection, case, diacritics, ligatures and invisible characters", async () => {
  const { db } = memoryCorpus([
    note("stem", "The databases were configured"),
    note("accents", "Crème brûlée à la Łódź"),
    note("plain", "A creme brulee"),
    note("german", "Die Straße ist groß"),
    note("ligature", "an eﬃcient ﬁle"),
    note("hyphen", "inter\u00adnatio\u00adnal co\u200bope\ufeffration"),
    note("greek", "Σίσυφος"),
    note("hindi", "यह हिन्दी है"),
  ]);
  const cases: [string, string[]][] = [
    ["CONFIGURE database", ["stem"]],
    ["creme", ["plain", "accents"]],
    ["brûlée", ["plain", "accents"]],
    ["cre\u0300me", ["plain", "accents"]],
    ["lodz", ["accents"]],
    ["strasse", ["german"]],
    ["GROẞ", ["german"]],
    ["efficient", ["ligature"]],
    ["ﬁle", ["ligature"]],
    ["international", ["hyphen"]],
    ["co\u00adoperation", ["hyphen"]],
    ["ΣΙΣΥΦΟΣ", ["greek"]],
    ["हिन्दी", ["hindi"]],
  ];
  for (const [query, expected] of cases) {
    assertEquals((await titles(db, query)).sort(), expected.sort(), query);
  }
  db.close();
});

Deno.test("CJK, Thai and emoji match by any one or more characters", async () => {
  const { db } = memoryCorpus([
    note("tokyo", "昨日は東京タワーへ行きました。"),
    note("kyoto", "京都の東にある寺"),
    note("beijing", "我爱北京天安门"),
    note("korean", "데이터베이스를 검색합니다"),
    note("thai", "สวัสดีชาวโลก"),
    note("emoji", "Deployed 🚀🎉 to production👍🏽"),
    note("family", "The 👨‍👩‍👧 went out"),
    note("halfwidth", "ｶﾞｲﾄﾞ"),
  ]);
  const cases: [string, string[]][] = [
    ["東京タワー", ["tokyo"]],
    ["タワー", ["tokyo"]],
    ["東京", ["tokyo"]],
    ["東", ["tokyo", "kyoto"]],
    ["京", ["tokyo", "kyoto", "beijing"]],
    ["天安门", ["beijing"]],
    ["北京", ["beijing"]],
    ["검색", ["korean"]],
    ["데이터", ["korean"]],
    ["ชาว", ["thai"]],
    ["สวัสดี", ["thai"]],
    ["ฮ", []],
    ["🚀", ["emoji"]],
    ["🎉", ["emoji"]],
    ["👍", ["emoji"]],
    ["👍🏽", ["emoji"]],
    ["👩", ["family"]],
    ["👨‍👩‍👧", ["family"]],
    ["ガイド", ["halfwidth"]],
    ["東京に行く方法は何ですか", ["tokyo"]],
  ];
  for (const [query, expected] of cases) {
    assertEquals((await titles(db, query)).sort(), expected.sort(), query);
  }
  assertEquals((await titles(db, "京都の東京"))[0], "kyoto");
  db.close();
});

Deno.test("identifiers match in full and by subword, and the full match ranks first", async () => {
  const { db } = memoryCorpus([
    note("parts", "case of a snake, 1234 an err, bar and foo, file to open"),
    note("snake", "call snake_case here"),
    note("error", "it failed with ERR-1234: no"),
    note("method", "use foo.bar() twice"),
    note("path", "see src/engine/open-file.ts"),
  ]);
  const cases: [string, string][] = [
    ["snake_case", "snake"],
    ["ERR-1234", "error"],
    ["err_1234", "error"],
    ["foo.bar()", "method"],
    ["bar()", "method"],
    ["src/engine/open-file.ts", "path"],
    ["open-file.ts", "path"],
    ["engine", "path"],
  ];
  for (const [query, expected] of cases) assertEquals((await titles(db, query))[0], expected, query);
  db.close();
});

Deno.test("the words of a compound weigh less than single words, but more if no chunk contains the compound", async () => {
  const absent = [note("beta", "one beta"), note("alpha", "an alpha")];
  const shares: number[] = [];
  for (const documents of [absent, [...absent, note("both", "alpha-beta")]]) {
    const { db } = memoryCorpus(documents);
    const scoreOf = async (query: string) =>
      (await search(db, { query })).results.find(({ title }) => title === "beta")?.score ?? NaN;
    shares.push(await scoreOf("alpha-beta") / await scoreOf("beta"));
    db.close();
  }
  // The single word also gets the boost for an exact match.
  assertEquals(shares, [0.5, 0.25 / 1.3]);
});

Deno.test("results with equal scores are ordered by chunk id", async () => {
  const { db } = memoryCorpus(Array.from({ length: 30 }, (_, n) => note(`n${n}`, "same words here")));
  const expected = Array.from({ length: 10 }, (_, n) => n + 1);
  for (let round = 0; round < 3; round++) {
    assertEquals(
      (await search(db, { query: "words", top: 10 })).results.map(({ chunk_id }) => chunk_id),
      expected,
    );
  }
  db.close();
});

Deno.test("scores descend, and rank single words as FTS5's bm25 does", async () => {
  const text = syntheticText(3);
  const { db } = memoryCorpus(text.documents(800));
  const reference = db.prepare(
    "SELECT rowid AS id FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY round(bm25(chunks_fts, 3, 2, 1), 9), rowid LIMIT 50",
  );
  const chunk = db.prepare(
    "SELECT title || ' ' || heading || ' ' || body AS text FROM chunk_search WHERE id = ?",
  );
  const isExactMatch = (id: number, word: string) =>
    new RegExp(`\\b${word}\\b`).test(String(chunk.get(id)?.["text"]));
  let compared = 0;
  for (let n = 0; n < 40; n++) {
    const query = text.keywords();
    const { results } = await search(db, { query, top: 50 });
    const scores = results.map(({ score }) => score);
    assertEquals(scores, [...scores].sort((a, b) => b - a));
    for (const word of query.split(" ")) {
      const expected = reference.all(`"${word}"`).map(({ id }) => Number(id));
      // FTS5 gives a word in more than half of all chunks no weight.
      if (expected.length === 50 || expected.length === 0) continue;
      // FTS5 does not boost exact matches.
      if (expected.some((id) => !isExactMatch(id, word))) continue;
      assertEquals(
        (await search(db, { query: word, top: 50 })).results.map(({ chunk_id }) => chunk_id),
        expected,
        word,
      );
      compared += expected.length;
    }
  }
  assert(compared > 100, String(compared));
  db.close();
});

Deno.test("a search reflects documents written and deleted after the last one", async () => {
  const { db } = memoryCorpus([note("one", "heron")]);
  assertEquals(await titles(db, "heron"), ["one"]);
  writeCorpus(db, [note("two", "heron heron heron")]);
  assertEquals(await titles(db, "heron"), ["two", "one"]);
  db.exec("DELETE FROM chunks_fts WHERE rowid = 2; DELETE FROM documents WHERE id = 2");
  assertEquals(await titles(db, "heron"), ["one"]);
  db.close();
});

Deno.test("a read-only connection sees what another one has committed before a search", async () => {
  const dir = await Deno.makeTempDir();
  const writer = new DatabaseSync(`${dir}/kb.db`);
  writer.exec("PRAGMA journal_mode = WAL");
  createSchema(writer);
  const db = new DatabaseSync(`${dir}/kb.db`, { readOnly: true });
  registerFunctions(db);
  db.exec("PRAGMA query_only = ON");
  try {
    assertEquals(await titles(db, "heron"), []);
    writeCorpus(writer, [note("one", "a heron"), note("snake", "snake_case")]);
    assertEquals(await titles(db, "heron"), ["one"]);
    assertEquals(await titles(db, "snake_case"), ["snake"]);
    writer.exec("BEGIN IMMEDIATE; DELETE FROM chunks_fts; DELETE FROM documents");
    assertEquals(await titles(db, "heron"), ["one"]);
    writer.exec("COMMIT");
    assertEquals(await titles(db, "heron"), []);
    assertEquals(db.isTransaction, false);
    writeCorpus(writer, [note("two", "a heron")]);
    // Between the ranking and the results.
    const checkpoint = () => writer.exec("DELETE FROM chunks; DELETE FROM documents");
    const { results } = await new Searcher({ db }).search({ query: "heron" }, { checkpoint });
    assertEquals(results.map(({ title }) => title), ["two"]);
  } finally {
    db.close();
    writer.close();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("vec_only without a model is rejected with a hint, and fts_only searches full text", async () => {
  const { db } = memoryCorpus([note("one", "heron")]);
  const error = await assertRejects(
    () => search(db, { query: "heron", top: 10, vec_only: true }),
    KnowledgeBaseError,
  );
  assertEquals(error.code, "invalid");
  assertStringIncludes(error.message, "leave it out to search full text");
  const response = await search(db, { query: "heron", top: 10, fts_only: true });
  assertEquals([response.mode, response.results.length], ["fts", 1]);
  db.close();
});

Deno.test("top limits the number of results", async () => {
  const { db } = memoryCorpus(
    Array.from({ length: 60 }, (_, n) => note(`n${n}`, "same words ".repeat(n + 1))),
  );
  for (const top of [1, 7, 50]) assertEquals((await search(db, { query: "words", top })).results.length, top);
  db.close();
});

Deno.test("a search whose client has left does not rank", async () => {
  const { db } = memoryCorpus([note("Kettle", "Descale the kettle.")]);
  const left = AbortSignal.abort();
  await assertRejects(
    () => new Searcher({ db }).search({ query: "kettle" }, { signal: left }),
    DOMException,
    "aborted",
  );
});

Deno.test("preparation reads the directories of the index, unless a search waits", async () => {
  /** Returns the directories that are read first during a preparation. */
  const prepared = async (isIdle: boolean) => {
    const { db } = memoryCorpus([note("Kettle", "Descale the kettle with vinegar.")]);
    const tables: string[] = [];
    const prepare = db.prepare.bind(db);
    db.prepare = (sql) => {
      tables.push(...sql.match(/\w+_idx/)?.slice(0, 1) ?? []);
      return prepare(sql);
    };
    await new Searcher({ db }).prepare(() => isIdle);
    db.close();
    return tables;
  };
  assertEquals(await prepared(true), ["chunks_fts_idx", "derived_fts_idx"]);
  assertEquals(await prepared(false), []);
});

Deno.test("preparation in a damaged store changes nothing", async () => {
  const db = new DatabaseSync(":memory:");
  await new Searcher({ db }).prepare(() => true);
  db.close();
});
