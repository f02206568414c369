import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EvaluationError, readTestCollection, type TestCollection } from "../../src/evaluation/mod.ts";
import { lines, type SetFiles, setFolder, SMALL_SET } from "./support.ts";

async function read(files: SetFiles): Promise<TestCollection> {
  await using folder = await setFolder(files);
  return await readTestCollection(folder.path);
}

async function readDocuments(files: SetFiles) {
  await using folder = await setFolder(files);
  const { documents } = await readTestCollection(folder.path);
  return documents ? await Array.fromAsync(documents()) : undefined;
}

Deno.test("a test collection has the documents of its folder and the queries with a relevant document", async () => {
  await using folder = await setFolder(SMALL_SET);
  const set = await readTestCollection(`${folder.path}/`);
  assertEquals(set.name, folder.path.split("/").at(-1));
  assertEquals(set.queries.map(({ id }) => id), ["1", "2", "3"]);
  assertEquals(set.skipped, 1);
  assertEquals([...set.queries[0]?.judgements ?? []], [["kettle", 1], ["bread", 0]]);
  const documents = await Array.fromAsync(set.documents?.() ?? []);
  assertEquals(documents.map(({ id }) => id), ["kettle", "train", "same-train", "untitled", "title-only"]);
});

Deno.test("a folder without documents refers to an existing knowledge base", async () => {
  assertEquals(await readDocuments({ ...SMALL_SET, "docs.jsonl": undefined }), undefined);
});

const QRELS: [name: string, file: string, text: string][] = [
  ["three columns", "qrels.tsv", "q\ta b.md\t1\n"],
  ["BEIR's header", "qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\ta b.md\t1\n"],
  ["TREC's four columns", "qrels.txt", "q\t0\ta b.md\t1\n"],
  ["CRLF, a byte order mark and a blank line", "qrels.tsv", "\ufeffq\ta b.md\t1\r\n\r\n"],
];

for (const [name, file, text] of QRELS) {
  Deno.test(`qrels are read with ${name}`, async () => {
    const { queries } = await read({ "queries.jsonl": lines([{ _id: "q", text: "?" }]), [file]: text });
    assertEquals(queries.map(({ judgements }) => [...judgements]), [[["a b.md", 1]]]);
  });
}

Deno.test("qrels of TREC may be separated by spaces", async () => {
  const { queries } = await read({
    "queries.jsonl": lines([{ id: 7, text: "?" }]),
    "qrels.txt": "7 0 d-1 2\n",
  });
  assertEquals(queries.map(({ judgements }) => [...judgements]), [[["d-1", 2]]]);
});

Deno.test("documents may have the field names of BEIR, numeric ids and no title", async () => {
  const documents = await readDocuments({
    ...SMALL_SET,
    "docs.jsonl": undefined,
    "corpus.jsonl": lines([{ _id: "a", text: " x ", metadata: {} }, { id: 2, title: "t", text: null }]),
  });
  assertEquals(documents, [
    { id: "a", title: "", text: "x", language: undefined },
    { id: "2", title: "t", text: "", language: undefined },
  ]);
});

Deno.test("a line may be longer than the read buffer", async () => {
  const text = "é".repeat(400_000);
  const documents = await readDocuments({ ...SMALL_SET, "docs.jsonl": lines([{ id: "a", text }]) });
  assertEquals(documents?.[0]?.text === text, true);
});

const REJECTED: [name: string, files: SetFiles, message: RegExp][] = [
  [
    "no qrels",
    { "qrels.tsv": undefined },
    /must be a folder with queries\.jsonl and qrels\.tsv.*contains no qrels\.tsv$/,
  ],
  ["no queries", { "queries.jsonl": undefined }, /contains no queries\.jsonl$/],
  [
    "a line that is no JSON",
    { "queries.jsonl": '{"id":"1","text":"x"}\n{"id"\n' },
    /queries\.jsonl line 2 must be one JSON object$/,
  ],
  ["a query without a text", { "queries.jsonl": lines([{ id: "1" }]) }, /queries\.jsonl line 1: text: /],
  ["a query without an id", { "queries.jsonl": lines([{ text: "x" }]) }, /line 1 must have an id$/],
  [
    "an id twice",
    { "queries.jsonl": lines([{ id: 1, text: "x" }, { id: "1", text: "y" }]) },
    /line 2: id "1" must be unique$/,
  ],
  [
    "a judgement that is none",
    { "qrels.tsv": "1\tkettle\t1\n1\tkettle\tyes\n" },
    /qrels\.tsv line 2 must be query, document and relevance .*got "1\\tkettle\\tyes"$/,
  ],
  ["two columns", { "qrels.tsv": "1\t1\n" }, /qrels\.tsv line 1 must be /],
  ["judgements of other queries", { "qrels.tsv": "9\tkettle\t1\n" }, /check that both use the same ids$/],
];

for (const [name, files, message] of REJECTED) {
  Deno.test(`an invalid collection is rejected with file and line: ${name}`, async () => {
    const error = await assertRejects(() => read({ ...SMALL_SET, ...files }), EvaluationError);
    assertMatch(error.message, message);
  });
}

const REJECTED_DOCUMENTS: [name: string, text: string, message: RegExp][] = [
  [
    "a language that is a number",
    lines([{ id: "a", text: "x", language: 1 }]),
    /docs\.jsonl line 1: language: /,
  ],
  ["a text that is a number", lines([{ id: "a", text: 1 }]), /docs\.jsonl line 1: text: /],
  ["an id twice", lines([{ id: "a", text: "x" }, { id: "a", text: "y" }]), /line 2: id "a" must be unique$/],
];

for (const [name, text, message] of REJECTED_DOCUMENTS) {
  Deno.test(`invalid documents are rejected with file and line: ${name}`, async () => {
    const error = await assertRejects(
      () => readDocuments({ ...SMALL_SET, "docs.jsonl": text }),
      EvaluationError,
    );
    assertMatch(error.message, message);
  });
}

for (
  const [name, bytes] of [["bytes that are none", [0x7b, 0xff, 0x7d]], ["half a character at its end", [
    0x7b,
    0xc3,
  ]]] as const
) {
  Deno.test(`a file that is not UTF-8 is rejected with the last valid line: ${name}`, async () => {
    await using folder = await setFolder(SMALL_SET);
    await Deno.writeFile(`${folder.path}/queries.jsonl`, new Uint8Array(bytes));
    const error = await assertRejects(() => readTestCollection(folder.path), EvaluationError);
    assertMatch(error.message, /queries\.jsonl must be UTF-8 text, but is not after line 0$/);
  });
}
