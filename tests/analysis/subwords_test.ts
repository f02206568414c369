import { assertEquals } from "@std/assert";
import { identifierSubwords, ngramsInText, ngramsOf } from "../../src/analysis/subwords.ts";
import { memoryCorpus, search } from "../engine/sqlite/search/corpus.ts";

const subwords = (text: string) => identifierSubwords(text).map((words) => words.join(" "));

Deno.test("identifiers are split at capitals and digits", () => {
  const cases: [string, string[]][] = [
    ["getUserName", ["get user name"]],
    ["parseXMLDocument", ["parse xml document"]],
    ["XMLHttpRequest", ["xml http request"]],
    ["HTTPServer", ["http server"]],
    ["SHA256", ["sha 256"]],
    ["sha256sum", ["sha 256 sum"]],
    ["TypeScript5", ["type script 5", "typescript 5"]],
    ["OAuth2", ["oauth 2"]],
    ["iPhone", []],
    ["utf8Decode", ["utf 8 decode"]],
    ["IPv4", ["ipv 4"]],
    ["E1001", []],
    ["ERR1234", ["err 1234"]],
    ["0x80070005", []],
    ["getÉlan", ["get élan"]],
    ["Kettle", []],
    ["KETTLE", []],
    ["URLs", []],
    ["snake_case", []],
    ["a.getName(userId)", ["get name", "user id"]],
    ["getName getName", ["get name"]],
    ["aBcDeFgHiJkLmNoPqRs", []],
    ["x".repeat(60) + "Yyyyy", []],
    ["", []],
  ];
  for (const [text, expected] of cases) assertEquals(subwords(text), expected, text);
});

Deno.test("names that end or begin with a symbol become a word", () => {
  const cases: [string, string[]][] = [
    ["C++", ["cplusplus"]],
    ["c++", ["cplusplus"]],
    ["C++, C# and F#.", ["cplusplus", "csharp", "fsharp"]],
    ["written in C++20", []],
    ["use .NET", ["dotnet"]],
    ["ASP.NET", []],
    ["i++", ["iplusplus"]],
    ["issue #12", []],
    ["network", []],
    ["a.network", []],
    ["++", []],
  ];
  for (const [text, expected] of cases) assertEquals(subwords(text), expected, text);
});

Deno.test("a run of characters without spaces has overlapping n-grams, also across line breaks", () => {
  const cases: [string, string[]][] = [
    ["東京都", ["東京", "京都"]],
    ["東", []],
    ["東\n京\r\n都", ["東京", "京都"]],
    ["東 京", []],
    ["東、京都・奈良", ["京都", "奈良"]],
    ["「東京」", ["東京"]],
    ["Denoで書く", ["で書", "書く"]],
    ["สวัส", ["สวั", "วัส"]],
    ["สว", []],
    ["데이터", ["데이", "이터"]],
    ["𠮷野家", ["𠮷野", "野家"]],
    ["plain", []],
  ];
  for (const [text, expected] of cases) assertEquals(ngramsInText(text), expected, text);
  assertEquals(ngramsOf([..."abcd"], 3), ["abc", "bcd"]);
  assertEquals(ngramsOf([..."ab"], 3), []);
});

/** Asserts which titles each query finds in a corpus of texts by title. */
async function assertFinds(
  texts: Record<string, string>,
  cases: readonly [string, string[]][],
): Promise<void> {
  const { db } = memoryCorpus(Object.entries(texts).map(([title, text]) => ({ title, chunks: [text] })));
  for (const [query, expected] of cases) {
    const { results } = await search(db, { query, top: 50 });
    assertEquals(results.map(({ title }) => title).sort(), [...expected].sort(), query);
  }
  db.close();
}

Deno.test("identifiers match in full, in another naming style, and by subword", async () => {
  await assertFinds({
    one: "call getUserName() here",
    two: "call get_user_name here",
    three: "set-user-name is a flag",
    four: "parseXMLDocument of SHA256",
    five: "failed with E1001",
    six: "failed with ERR-1234",
    seven: "HRESULT 0x80070005",
    eight: "open C:\\Program Files\\heron\\file.txt",
    nine: "open /etc/nginx/nginx.conf",
    ten: "foo.bar(baz) of std::vec<T>",
  }, [
    ["username", []],
    ["user", ["one", "two", "three"]],
    ["name user", ["one", "two", "three"]],
    ["getusername", ["one"]],
    ["GETUSERNAME", ["one"]],
    ['"getUserName"', ["one"]],
    ['"get user name"', ["one", "two"]],
    ["getUserName", ["one", "two", "three"]],
    ["get_user_name", ["one", "two", "three"]],
    ["xml", ["four"]],
    ["XmlDocument", ["four"]],
    ["xml_document", ["four"]],
    ["sha-256", ["four"]],
    ["sha256", ["four"]],
    ["E1001", ["five"]],
    ["e1001", ["five"]],
    ["E1002", []],
    ["ERR-1234", ["six"]],
    ["err_1234", ["six"]],
    ["ERR1234", ["six"]],
    ["1234", ["six"]],
    ["0x80070005", ["seven"]],
    ["heron\\file.txt", ["eight"]],
    ["heron/file.txt", ["eight"]],
    ["files", ["eight"]],
    ["nginx.conf", ["nine"]],
    ["/etc/nginx/", ["nine"]],
    ["etc\\nginx", ["nine"]],
    ["bar()", ["ten"]],
    ["foo.bar", ["ten"]],
    ["vec", ["ten"]],
  ]);
});

/** Asserts the title of the first result of each query. */
async function assertFirst(texts: Record<string, string>, cases: readonly [string, string][]): Promise<void> {
  const { db } = memoryCorpus(Object.entries(texts).map(([title, text]) => ({ title, chunks: [text] })));
  for (const [query, expected] of cases) {
    assertEquals((await search(db, { query })).results[0]?.title, expected, query);
  }
  db.close();
}

Deno.test("an identifier as typed ranks above its subwords", async () => {
  await assertFirst({
    parts: "a user has a name: get it, name it, user by user",
    camel: "there is a call to getUserName in the file somewhere",
    error: "the error E1001 is described in this file, somewhere",
    number: "1001 errors, error 1001",
    code: "it ended with ERR-1234 in this file, somewhere",
    other: "1234 err, err 1 and err 2 and 1234",
    path: "see the file src/engine/open-file.ts somewhere",
    words: "ts file to open, engine and src of a file",
  }, [
    ["getUserName", "camel"],
    ["get_user_name", "camel"],
    ["E1001", "error"],
    ["error E1001", "error"],
    ["ERR-1234", "code"],
    ["src/engine/open-file.ts", "path"],
    ["engine\\open-file", "path"],
  ]);
});

Deno.test("C, C++, C# and .NET rank above each other's near matches", async () => {
  await assertFirst({
    "C++": "how to write it in C++ with templates and care",
    "C#": "how to write it in C# with generics and care",
    "C": "how to write it in C with care",
    ".NET": "runs on .NET with care",
    "net": "a net, and another net",
  }, [
    ["C++", "C++"],
    ["write c++", "C++"],
    ["C#", "C#"],
    ["C", "C"],
    [".NET", ".NET"],
    ["net", "net"],
  ]);
});

Deno.test("text without spaces matches any one or more of its characters, also across line breaks", async () => {
  await assertFinds({
    japanese: "昨日は東京\nタワーへ行きました。",
    chinese: "我爱北京\r\n天安门",
    thai: "สวัสดี\nชาวโลก",
    korean: "데이터베\n이스를 검색합니다",
    khmer: "សួស្តីពិភពលោក",
    emoji: "done 🚀\n🎉👍🏽",
    flag: "to 🇩🇪 and 👩‍💻",
  }, [
    ["京", ["japanese", "chinese"]],
    ["東京", ["japanese"]],
    ["京タ", ["japanese"]],
    ["東京タワー", ["japanese"]],
    ["ー", ["japanese"]],
    ["京天", ["chinese"]],
    ["天安门", ["chinese"]],
    ["ฮ", []],
    ["ล", ["thai"]],
    ["ลก", ["thai"]],
    ["โลก", ["thai"]],
    ["ดีชาว", ["thai"]],
    ["สวัสดีชาวโลก", ["thai"]],
    ["스", ["korean"]],
    ["베이", ["korean"]],
    ["데이터베이스", ["korean"]],
    ["검색을", ["korean"]],
    ["ភព", ["khmer"]],
    ["ពិភពលោក", ["khmer"]],
    ["🎉", ["emoji"]],
    ["🚀🎉", ["emoji"]],
    ["👍", ["emoji"]],
    ["🇩🇪", ["flag"]],
    ["👩‍💻", ["flag"]],
    ["💻", ["flag"]],
    ["东", []],
  ]);
});

Deno.test("a hyphenated compound matches as one word, and a word matches by its letters or digits", async () => {
  const { db } = memoryCorpus([
    { title: "UTF-8 text" },
    { title: "node.js" },
    { title: "push_back" },
    { title: "OAuth2.0 tokens" },
    { title: "TypeScript5" },
    { title: "word2vec" },
    { title: "iPhone15" },
  ].map(({ title }) => ({ title, chunks: ["-"] })));
  const cases: [string, string][] = [
    ["utf8", "UTF-8 text"],
    ["nodejs", "node.js"],
    ["pushback", "push_back"],
    ["oauth 2.0", "OAuth2.0 tokens"],
    ["oauth", "OAuth2.0 tokens"],
    ["typescript", "TypeScript5"],
    ["vec", "word2vec"],
    ["iphone 15", "iPhone15"],
  ];
  for (const [query, expected] of cases) {
    const { results: [first], corrections } = await search(db, { query });
    assertEquals([first?.title, corrections], [expected, undefined], query);
  }
  db.close();
});

Deno.test("an identifier ranks above others with the same words", async () => {
  const { db } = memoryCorpus([
    { title: "words", chunks: ["retry count"] },
    { title: "snake", chunks: ["the setting is called retry_count, and it is a number"] },
    { title: "dot", chunks: ["foo.bar"] },
    { title: "arrow", chunks: ["in this one there is foo->bar somewhere"] },
    { title: "x", chunks: ["y"] },
  ]);
  const firstOf = async (query: string) => (await search(db, { query })).results[0]?.title;
  assertEquals(await firstOf("retry_count"), "snake");
  assertEquals(await firstOf("foo->bar"), "arrow");
  assertEquals(await firstOf("foo.bar"), "dot");
  db.close();
});
