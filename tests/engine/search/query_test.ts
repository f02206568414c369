import { assert, assertEquals } from "@std/assert";
import { parseQuery, plainQueryText } from "../../../src/engine/search/query.ts";
import { MAX_TERMS } from "../../../src/engine/search/query_terms.ts";

const terms = (query: string) =>
  parseQuery(query).terms.map(({ words, weight }) => `${words.join(" ")}:${weight}`);

Deno.test("stop words are dropped, and repeated words have a higher weight", () => {
  assertEquals(terms("What is the title of the titles title?"), ["title:2", "titles:1"]);
});

Deno.test("a query of stop words only keeps them", () => {
  assertEquals(terms("to be or not to be"), ["to:2", "be:2", "or:1", "not:1"]);
  assertEquals(terms("don't").length > 0, true);
});

Deno.test("acronyms are not stop words, unless the whole query is in capitals", () => {
  assertEquals(terms("what IT does for US"), ["it:1", "us:1"]);
  assertEquals(terms("WHAT IT DOES FOR THE KETTLE"), ["kettle:1"]);
  assertEquals(terms("kettle AND teapot OR NOT it"), ["kettle:1", "teapot:1"]);
  assertEquals(terms("how does Go handle errors"), ["go:1", "handle:1", "errors:1"]);
});

Deno.test("contractions are reduced to their word, or dropped", () => {
  assertEquals(terms("Dewey's system doesn’t work, they're sure"), [
    "dewey:1",
    "system:1",
    "work:1",
    "sure:1",
  ]);
  assertEquals(terms("O'Reilly")[0], "o reilly:1");
});

Deno.test("compounds are phrases, and their words have less weight", () => {
  const cases: [string, string][] = [
    ["snake_case", "snake case"],
    ["foo.bar()", "foo bar"],
    ["ERR-1234", "err 1234"],
    ["src/engine/store.ts", "src engine store ts"],
    ["std::vec<T>", "std vec t"],
    ["https://example.com/a?b=c", "https example com a b c"],
  ];
  for (const [query, phrase] of cases) {
    const parsed = parseQuery(query).terms;
    assertEquals(parsed[0]?.words.join(" "), phrase);
    assertEquals(parsed[0]?.weight, 1);
    assert(parsed.slice(1).every(({ words, weight }) => words.length === 1 && weight < 1));
  }
});

Deno.test("CJK becomes bigrams and Thai trigrams, without Japanese function words", () => {
  assertEquals(terms("東京タワー"), ["東京:1", "京タ:1", "タワ:1", "ワー:1"]);
  assertEquals(terms("東"), ["東:1"]);
  assertEquals(terms("検索についての方法"), ["検索:1", "索に:1", "の方:1", "方法:1"]);
  assertEquals(terms("東京、大阪"), ["東京:1", "大阪:1"]);
  assertEquals(terms("สวัส"), ["สวั:1", "วัส:1"]);
  assertEquals(terms("สว"), ["ส ว:1"]);
  assertEquals(terms("Denoで検索"), ["deno:1", "で検:1", "検索:1"]);
  assertEquals(terms("👍🏽"), ["👍 🏽:1"]);
});

Deno.test("identifiers become a word, a phrase of subwords, and each subword", () => {
  assertEquals(terms("getUserName"), ["getusername:1", "get user name:0.5", "user:0.25", "name:0.25"]);
  assertEquals(terms("user_name"), ["user name:1", "user:0.25", "name:0.25", "username:0.25"]);
  assertEquals(terms("e-mail"), ["e mail:1", "e:0.25", "mail:0.25", "email:0.25"]);
  assertEquals(terms("C++ or C#"), ["c:2", "cplusplus:1", "csharp:1"]);
  assertEquals(terms(".NET"), ["net:1", "dotnet:1"]);
});

Deno.test("quoted phrases and exclusions are syntax", () => {
  const read = (query: string) => {
    const { phrases, exclusions, text } = parseQuery(query);
    const words = (list: typeof phrases) => list.map((phrase) => phrase.words.join(" "));
    return [words(phrases), words(exclusions), text];
  };
  assertEquals(read('kettle "red Herring" tea'), [["red herring"], [], "kettle red Herring tea"]);
  assertEquals(read("kettle -tea -foo.bar"), [[], ["tea", "foo bar"], "kettle"]);
  assertEquals(read('kettle -"green tea"'), [[], ["green tea"], "kettle"]);
  assertEquals(read("“smart” („quotes“) and «more»"), [
    ["smart", "quotes", "more"],
    [],
    "smart ( quotes ) and more",
  ]);
  assertEquals(terms('"to be"'), ["to be:1", "to:0.25", "be:0.25"]);
  assertEquals(terms('"東京都"'), ["東 京 都:1", "東京:1", "京都:1"]);
});

Deno.test("nothing else is syntax", () => {
  assertEquals(terms('deno" AND (sqlite* NEAR fts) ^title:x --y - z 5" pre-1'), [
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
    assertEquals(terms(query), []);
  }
});

Deno.test("a query of exclusions only is plain words", () => {
  assertEquals(parseQuery("-verbose").exclusions, []);
  assertEquals(terms("-verbose -quiet"), ["verbose:1", "quiet:1"]);
});

Deno.test("a word with an invisible character is one word", () => {
  const { terms: expected } = parseQuery("cooperation");
  for (const hidden of ["\ufeff", "\u00ad", "\u200b", "\u2060"]) {
    assertEquals(parseQuery(`co${hidden}operation`).terms, expected, JSON.stringify(hidden));
  }
  assertEquals(parseQuery("\ufeffheron").text, "heron");
});

Deno.test("the number of terms is bounded", () => {
  const query = Array.from({ length: 3000 }, (_, n) => `w${n}`).join(" ");
  assertEquals(parseQuery(query).terms.length, MAX_TERMS);
  assertEquals(parseQuery("漢字".repeat(2000) + query).terms.length, MAX_TERMS);
  // A compound of too many words is not a phrase.
  assert(parseQuery(query.replaceAll(" ", "-")).terms.every(({ words }) => words.length === 1));
});

Deno.test("a quoted phrase is required next to a few words, and is prose among more", () => {
  const isRequired = (query: string) => parseQuery(query).phrases.length > 0;
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
  for (const [query, expected] of cases) assertEquals(isRequired(query), expected, query);
  assertEquals(terms('alpha beta "red herring" gamma delta epsilon').slice(2, 4), ["red:1", "herring:1"]);
  assertEquals(parseQuery('a b c d e f g "red herring" -tea').exclusions.map(({ text }) => text), ["tea"]);
});

Deno.test("C++ and C# can be quoted and excluded", () => {
  const { phrases, exclusions } = parseQuery('"C++" -C# -"F#"');
  assertEquals(phrases.map(({ words }) => words), [["cplusplus"]]);
  assertEquals(exclusions.map(({ words }) => words), [["csharp"], ["fsharp"]]);
  assertEquals(parseQuery('"written in C++"').phrases[0]?.words, ["written", "in", "c"]);
});

Deno.test("the number of phrases and exclusions is bounded, and further ones are plain words", () => {
  const many = (item: (n: number) => string) => Array.from({ length: 20 }, (_, n) => item(n)).join(" ");
  const excluding = parseQuery(`tea ${many((n) => `-w${n}`)}`);
  assertEquals(excluding.exclusions.length, 16);
  assertEquals(excluding.terms.map(({ words }) => words.join(" ")), ["tea", "w16", "w17", "w18", "w19"]);
  // The four remaining phrases are four words, so that the query is not prose.
  assertEquals(parseQuery(many((n) => `"w${n}"`)).phrases.length, 16);
  const [long] = parseQuery(`"${many(() => "a b c d e")}"`).phrases;
  assertEquals(long?.words.length, 64);
});

Deno.test("the text to embed is the query without its syntax", () => {
  const cases: [string, string][] = [
    ["what is  a\nheron?", "what is a heron?"],
    ['"red herring" tea -milk', "red herring tea"],
    ["-milk", "-milk"],
    ["a\0b", "a b"],
    ["getUserName in C++", "getUserName in C++"],
  ];
  for (const [query, expected] of cases) assertEquals(parseQuery(query).text, expected, query);
});

Deno.test("identifiers are found between any punctuation, and in time linear to its length", () => {
  assertEquals(parseQuery("((foo->bar)).. __a::b__").identifiers, ["foo->bar"]);
  assertEquals(parseQuery("«foo.bar»").identifiers, ["foo.bar"]);
  for (const symbol of ["(", "\u{1f680}", "’"]) {
    const query = `a${symbol.repeat(4000)}a`;
    assertEquals(parseQuery(`${query} ${symbol.repeat(4000)}`).identifiers, []);
  }
});

Deno.test("plain words are parsed as among other white space", () => {
  for (
    const query of ["heron", "the heron of the heron reeds", "to be or not to be", "deadbeef x plusplus"]
  ) {
    assertEquals(parseQuery(query), parseQuery(` ${query.replaceAll(" ", "\t")} `), query);
  }
});

Deno.test("the text of a query without syntax is known without parsing it", () => {
  const plain = [
    ...[
      "kettle",
      "  green   tea ",
      "tea\tpot\nlid",
      "tea-pot lid",
      "",
      " ",
      "it's 5' long",
      "über 日本語 text",
    ],
    ...["\ufeffkettle\ufeff tea", "kettle\0tea", "C++ (std::vector) [x] {y}"],
  ];
  for (const query of plain) assertEquals(plainQueryText(query), parseQuery(query).text, query);
  const syntax = [
    '"green tea"',
    "tea -milk",
    '-"green tea"',
    "-milk",
    "«thé»",
    "„Tee“",
    'tea "',
    "tea - milk",
  ];
  for (const query of syntax) assertEquals(plainQueryText(query), undefined, query);
});
