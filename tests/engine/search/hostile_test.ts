import { assert, assertEquals } from "@std/assert";
import { SearchRequest, SearchResponse } from "../../../src/contract/mod.ts";
import { memoryCorpus, search } from "./corpus.ts";

/** What people and models type, and what FTS5, SQL or a careless parser would trip over. True: something is found. */
const QUERIES: readonly [query: string, finds: boolean][] = [
  ["heron", true],
  ["HERON", true],
  ["heron*", true],
  ["her*", false],
  ["*", false],
  ["**heron**", true],
  ["^heron", true],
  ['"heron"', true],
  ['"heron', true],
  ['heron"', true],
  ['"', false],
  ['""', false],
  ['""""', false],
  ["'heron'", true],
  ["'", false],
  ["heron AND", true],
  ["AND", true],
  ["OR", true],
  ["NOT", true],
  ["NOT heron", true],
  ["AND OR NOT", true],
  ["NEAR", true],
  ["NEAR(heron kettle, 5)", true],
  ["NEAR(heron", true],
  ["heron NEAR/2 kettle", true],
  ["title:heron", true],
  ["title : heron", true],
  ["{title body} : heron", true],
  ["nosuchcolumn:heron", true],
  ["-title:heron", true],
  ["- heron", true],
  ["--heron", true],
  ["-", false],
  ["+heron + kettle", true],
  ["+", false],
  ["(heron", true],
  ["heron)", true],
  ["((((((((heron))))))))", true],
  ["()", false],
  ["heron(kettle)", true],
  ["heron;kettle", true],
  ["; DROP TABLE chunks; --", false],
  ["' OR 1=1 --", true],
  ["heron' UNION SELECT sql FROM sqlite_schema --", true],
  ["chunks_fts MATCH 'heron'", true],
  ["heron\\kettle", true],
  ["\\", false],
  ["/heron|kettle/gi", true],
  ["^(?=.*heron).*$", true],
  ["%heron%", true],
  ["heron_kettle", true],
  ["_", false],
  ["?", false],
  ["?1", true],
  [":heron", true],
  ["@heron #kettle $1", true],
  ["heron\0kettle", true],
  ["\0", false],
  ["\0\0\0heron", true],
  ["\ud800", false],
  ["\udc00heron\ud800", true],
  ["heron\ud83d", true],
  ["\ufffd", false],
  ["\u200b", false],
  ["\u202eheron\u202c", true],
  ["he\u00adron", true],
  ["he\u200bron", true],
  ["\u0301\u0302", false],
  ["\u20e3", false],
  ["h\u0336e\u0336r\u0336o\u0336n\u0336", true],
  ["ｈｅｒｏｎ", true],
  ["𝐡𝐞𝐫𝐨𝐧", true],
  ["שלום עולם", false],
  ["مرحبا", false],
  ["🚀", true],
  ["👨‍👩‍👧‍👦", false],
  ["🇩🇪", false],
  ["☃️", false],
  ["東", true],
  ["東京", true],
  ["。、「」", false],
  ["ﷺ", false],
  ["1", true],
  ["0x1F", false],
  ["1.5e-10", true],
  ["NaN", false],
  ["null", false],
  ["undefined", false],
  ["a", true],
  ["the", true],
  ["the of and a to", true],
  ["!?.,;:…", false],
  ["   \t\r\n heron \n", true],
  ["<script>alert('heron')</script>", true],
  ["${heron}", true],
  ["{{heron}}", true],
  ["[[heron]]", true],
  ["C++ C# .NET", true],
  ["../../../etc/passwd", false],
  ["C:\\Users\\heron\\file.txt", true],
  ["heron ".repeat(1666), true],
  ["heron-".repeat(1666), true],
  ["heron kettle the ".repeat(588), true],
  ["x".repeat(10_000), false],
  ["é".repeat(10_000), false],
  ["ﷺ".repeat(10_000), false],
  ["東".repeat(10_000), true],
  ["👍🏽".repeat(2500), false],
  ['"'.repeat(10_000), false],
  ["(".repeat(10_000), false],
  ["*".repeat(10_000), false],
  ["\u0301".repeat(10_000), false],
  ["\ud800".repeat(10_000), false],
  ["a'".repeat(5000), true],
  ["n't".repeat(3333), false],
  ["a.".repeat(5000), true],
  ["NEAR(".repeat(2000), true],
  [Array.from({ length: 2500 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join(""), false],
  [Array.from({ length: 1400 }, (_, n) => `w${n}`).join(" "), false],
  [Array.from({ length: 1400 }, (_, n) => `w${n}`).join("."), false],
];

const CORPUS = [
  { title: "Birds", chunks: ["A heron and the kettle of a or and not, to be 1"] },
  { title: "C", chunks: ["C is near to title x"], tags: ["t"] },
  { title: "東京", chunks: ["東京タワー 東東 🚀"] },
  { title: "Filler", chunks: ["the quick brown fox jumps over the lazy dog"] },
];

Deno.test(`each of ${QUERIES.length} hostile or odd queries is answered, in time, and as text`, async (test) => {
  const { db } = memoryCorpus(CORPUS);
  for (const [query, finds] of QUERIES) {
    const name = query.length > 60
      ? `${JSON.stringify(query.slice(0, 12))}… (${query.length})`
      : JSON.stringify(query);
    await test.step(`${name} ${finds ? "finds" : "finds nothing"}`, async () => {
      const request = SearchRequest.parse({ query, tags: query.length % 2 ? undefined : [] });
      const started = performance.now();
      const response = await search(db, request);
      // A thousand times what it takes; only a runaway is that slow.
      assert(performance.now() - started < 1000);
      assert(SearchResponse.safeParse(response).success);
      assertEquals(response.results.length > 0, finds);
      assertEquals(db.isTransaction, false);
    });
  }
  db.close();
});

Deno.test("any two characters of ASCII are a query, alone and around a word", async () => {
  const { db } = memoryCorpus(CORPUS);
  const printable = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));
  for (const b of printable.filter((each) => !/[a-z0-9]/i.test(each))) {
    for (const a of printable) await search(db, { query: a + b, top: 1 });
    assertEquals((await search(db, { query: `${b}heron${b}`, top: 1 })).results.length, 1, b);
  }
  db.close();
});
