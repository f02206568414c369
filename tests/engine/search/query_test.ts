import { assert, assertEquals } from "@std/assert";
import { MAX_UNITS, parseQuery } from "../../../src/engine/search/query.ts";

const units = (query: string) => parseQuery(query).map(({ words, weight }) => `${words.join(" ")}:${weight}`);

Deno.test("a query becomes words without stop words, repeated ones counting more", () => {
  assertEquals(units("What is the title of the titles title?"), ["title:2", "titles:1"]);
});

Deno.test("a query of stop words alone keeps them", () => {
  assertEquals(units("to be or not to be"), ["to:2", "be:2", "or:1", "not:1"]);
  assertEquals(units("don't").length > 0, true);
});

Deno.test("contractions leave their word, or nothing", () => {
  assertEquals(units("Dewey's system doesn’t work, they're sure"), [
    "dewey:1",
    "system:1",
    "work:1",
    "sure:1",
  ]);
  assertEquals(units("O'Reilly")[0], "o reilly:1");
});

Deno.test("identifiers are phrases, and their parts count less", () => {
  const cases: [string, string][] = [
    ["snake_case", "snake case"],
    ["foo.bar()", "foo bar"],
    ["ERR-1234", "err 1234"],
    ["src/engine/store.ts", "src engine store ts"],
    ["std::vec<T>", "std vec t"],
    ["https://example.com/a?b=c", "https example com a b c"],
  ];
  for (const [query, phrase] of cases) {
    const parsed = parseQuery(query);
    assertEquals(parsed[0]?.words.join(" "), phrase);
    assertEquals(parsed[0]?.weight, 1);
    assert(parsed.slice(1).every(({ words, weight }) => words.length === 1 && weight < 1));
  }
});

Deno.test("runs of CJK are overlapping pairs, of Thai triples, with grammar left out", () => {
  assertEquals(units("東京タワー"), ["東 京:1", "京 タ:1", "タ ワ:1", "ワ ー:1"]);
  assertEquals(units("東"), ["東:1"]);
  assertEquals(units("検索についての方法"), ["検 索:1", "索 に:1", "の 方:1", "方 法:1"]);
  assertEquals(units("東京、大阪"), ["東 京:1", "大 阪:1"]);
  assertEquals(units("สวัส"), ["ส ว ั:1", "ว ั ส:1"]);
  assertEquals(units("Denoで検索"), ["deno:1", "で 検:1", "検 索:1"]);
  assertEquals(units("👍🏽"), ["👍 🏽:1"]);
});

Deno.test("nothing is syntax", () => {
  assertEquals(units('"deno" AND (sqlite* NEAR fts5) ^title:x -y'), [
    "deno:1",
    "sqlite:1",
    "near:1",
    "fts5:1",
    "title x:1",
    "title:0.25",
    "x:0.25",
    "y:1",
  ]);
  for (const query of ["", " ", "()*^\"'-:", "\0", "\ud800", "?!…", "\u200b"]) assertEquals(units(query), []);
});

Deno.test("the number of units is bounded", () => {
  const query = Array.from({ length: 3000 }, (_, n) => `w${n}`).join(" ");
  assertEquals(parseQuery(query).length, MAX_UNITS);
  assertEquals(parseQuery("漢字".repeat(2000) + query).length, MAX_UNITS);
  // A chain too long for a phrase is only its words.
  assert(parseQuery(query.replaceAll(" ", "-")).every(({ words }) => words.length === 1));
});
