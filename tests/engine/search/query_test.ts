import { assert, assertEquals } from "@std/assert";
import { MAX_UNITS, parseQuery } from "../../../src/engine/search/query.ts";

const units = (query: string) =>
  parseQuery(query).units.map(({ words, weight }) => `${words.join(" ")}:${weight}`);

Deno.test("a query becomes words without stop words, repeated ones counting more", () => {
  assertEquals(units("What is the title of the titles title?"), ["title:2", "titles:1"]);
});

Deno.test("a query of stop words alone keeps them", () => {
  assertEquals(units("to be or not to be"), ["to:2", "be:2", "or:1", "not:1"]);
  assertEquals(units("don't").length > 0, true);
});

Deno.test("acronyms are no stop words, unless all is shouted", () => {
  assertEquals(units("what IT does for US"), ["it:1", "us:1"]);
  assertEquals(units("WHAT IT DOES FOR THE KETTLE"), ["kettle:1"]);
  assertEquals(units("kettle AND teapot OR NOT it"), ["kettle:1", "teapot:1"]);
  assertEquals(units("how does Go handle errors"), ["go:1", "handle:1", "errors:1"]);
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
    const parsed = parseQuery(query).units;
    assertEquals(parsed[0]?.words.join(" "), phrase);
    assertEquals(parsed[0]?.weight, 1);
    assert(parsed.slice(1).every(({ words, weight }) => words.length === 1 && weight < 1));
  }
});

Deno.test("runs of CJK are overlapping pairs, of Thai triples, with grammar left out", () => {
  assertEquals(units("東京タワー"), ["東京:1", "京タ:1", "タワ:1", "ワー:1"]);
  assertEquals(units("東"), ["東:1"]);
  assertEquals(units("検索についての方法"), ["検索:1", "索に:1", "の方:1", "方法:1"]);
  assertEquals(units("東京、大阪"), ["東京:1", "大阪:1"]);
  assertEquals(units("สวัส"), ["สวั:1", "วัส:1"]);
  assertEquals(units("สว"), ["ส ว:1"]);
  assertEquals(units("Denoで検索"), ["deno:1", "で検:1", "検索:1"]);
  assertEquals(units("👍🏽"), ["👍 🏽:1"]);
});

Deno.test("names in code are looked for whole, as a phrase of their words, and by each", () => {
  assertEquals(units("getUserName"), ["getusername:1", "get user name:0.5", "user:0.25", "name:0.25"]);
  assertEquals(units("user_name"), ["user name:1", "user:0.25", "name:0.25", "username:0.25"]);
  assertEquals(units("e-mail"), ["e mail:1", "e:0.25", "mail:0.25", "email:0.25"]);
  assertEquals(units("C++ or C#"), ["c:2", "cplusplus:1", "csharp:1"]);
  assertEquals(units(".NET"), ["net:1", "dotnet:1"]);
});

Deno.test("quotations and exclusions are syntax", () => {
  const read = (query: string) => {
    const { phrases, excluded, meaning } = parseQuery(query);
    const words = (list: typeof phrases) => list.map((phrase) => phrase.words.join(" "));
    return [words(phrases), words(excluded), meaning];
  };
  assertEquals(read('kettle "red Herring" tea'), [["red herring"], [], "kettle red Herring tea"]);
  assertEquals(read("kettle -tea -foo.bar"), [[], ["tea", "foo bar"], "kettle"]);
  assertEquals(read('kettle -"green tea"'), [[], ["green tea"], "kettle"]);
  assertEquals(read("“smart” („quotes“) and «more»"), [
    ["smart", "quotes", "more"],
    [],
    "smart ( quotes ) and more",
  ]);
  assertEquals(units('"to be"'), ["to be:1", "to:0.25", "be:0.25"]);
  assertEquals(units('"東京都"'), ["東 京 都:1", "東京:1", "京都:1"]);
});

Deno.test("nothing else is syntax", () => {
  assertEquals(units('deno" AND (sqlite* NEAR fts) ^title:x --y - z 5" pre-1'), [
    "deno:1",
    "sqlite:1",
    "near:1",
    "fts:1",
    "title x:1",
    "title:0.25",
    "x:0.25",
    "y:1",
    "z:1",
    "5:1",
    "pre 1:1",
    "pre:0.25",
    "1:0.25",
    "pre1:0.25",
  ]);
  for (const query of ["", " ", "()*^\"'-:", "\0", "\ud800", "?!…", "\u200b", '""', '" "']) {
    assertEquals(units(query), []);
  }
});

Deno.test("a query that only excludes is plain words", () => {
  assertEquals(parseQuery("-verbose").excluded, []);
  assertEquals(units("-verbose -quiet"), ["verbose:1", "quiet:1"]);
});

Deno.test("a word with an invisible character in it is one word", () => {
  const { units } = parseQuery("cooperation");
  for (const hidden of ["\ufeff", "\u00ad", "\u200b", "\u2060"]) {
    assertEquals(parseQuery(`co${hidden}operation`).units, units, JSON.stringify(hidden));
  }
  assertEquals(parseQuery("\ufeffheron").meaning, "heron");
});

Deno.test("the number of units is bounded", () => {
  const query = Array.from({ length: 3000 }, (_, n) => `w${n}`).join(" ");
  assertEquals(parseQuery(query).units.length, MAX_UNITS);
  assertEquals(parseQuery("漢字".repeat(2000) + query).units.length, MAX_UNITS);
  // A chain too long for a phrase is only its words.
  assert(parseQuery(query.replaceAll(" ", "-")).units.every(({ words }) => words.length === 1));
});

Deno.test("a quotation is one beside a few words, and among more it is prose", () => {
  const isQuotation = (query: string) => parseQuery(query).phrases.length > 0;
  const cases: [string, boolean][] = [
    ['"red herring"', true],
    ['alpha beta "red herring" gamma delta', true],
    ['alpha beta "red herring" gamma delta epsilon', false],
    ['what is the "red herring" of all of them, and why?', true],
    ['"red herring" src/engine/search/query.ts getUserName ERR-1234 foo.bar()', true],
    ['"red herring" 今日は東京都へ行きました', true],
    ['"red herring" - + = | &', true],
    ['"red herring" -alpha -beta -gamma -delta -epsilon', true],
    ['"one" "two" "three" "four" "five" "six"', true],
  ];
  for (const [query, expected] of cases) assertEquals(isQuotation(query), expected, query);
  assertEquals(units('alpha beta "red herring" gamma delta epsilon').slice(2, 4), ["red:1", "herring:1"]);
  assertEquals(parseQuery('a b c d e f g "red herring" -tea').excluded.map(({ text }) => text), ["tea"]);
});

Deno.test("a name that a sign tells from a letter is quoted and excluded by the sign", () => {
  const { phrases, excluded } = parseQuery('"C++" -C# -"F#"');
  assertEquals(phrases.map(({ words }) => words), [["cplusplus"]]);
  assertEquals(excluded.map(({ words }) => words), [["csharp"], ["fsharp"]]);
  assertEquals(parseQuery('"written in C++"').phrases[0]?.words, ["written", "in", "c"]);
});

Deno.test("the number of quotations and exclusions is bounded, and further ones are words", () => {
  const many = (item: (n: number) => string) => Array.from({ length: 20 }, (_, n) => item(n)).join(" ");
  const excluding = parseQuery(`tea ${many((n) => `-w${n}`)}`);
  assertEquals(excluding.excluded.length, 16);
  assertEquals(excluding.units.map(({ words }) => words.join(" ")), ["tea", "w16", "w17", "w18", "w19"]);
  // With four words left over it is still no prose.
  assertEquals(parseQuery(many((n) => `"w${n}"`)).phrases.length, 16);
  const [long] = parseQuery(`"${many(() => "a b c d e")}"`).phrases;
  assertEquals(long?.words.length, 64);
});

Deno.test("what a model is to make a vector of is the query without its syntax", () => {
  const cases: [string, string][] = [
    ["what is  a\nheron?", "what is a heron?"],
    ['"red herring" tea -milk', "red herring tea"],
    ["-milk", "-milk"],
    ["a\0b", "a b"],
    ["getUserName in C++", "getUserName in C++"],
  ];
  for (const [query, expected] of cases) assertEquals(parseQuery(query).meaning, expected, query);
});
