import { assert, assertEquals } from "@std/assert";
import {
  frontMatterTags,
  loadFrontMatter,
  readFrontMatter,
  readFrontMatterSync,
} from "../../src/extraction/front_matter.ts";
import { countReads } from "../support/count_reads.ts";

Deno.test("readFrontMatter splits metadata and body", async () => {
  assertEquals(await readFrontMatter("---\ntitle: A\nn: 1.5\nlist: [x, 2, null]\n---\nBody\n"), {
    metadata: { title: "A", n: 1.5, list: ["x", 2, null] },
    body: "\nBody\n",
  });
});

Deno.test("readFrontMatter accepts three dots as the end, and trailing spaces", async () => {
  assertEquals((await readFrontMatter("---  \na: b\n...\t\nBody"))?.body, "\nBody");
});

Deno.test("readFrontMatter keeps dates, yes and no as strings", async () => {
  const found = await readFrontMatter("---\ndate: 2024-05-01\nanswer: no\n---\n");
  assertEquals(found?.metadata, { date: "2024-05-01", answer: "no" });
});

const NOT_FRONT_MATTER: [what: string, text: string][] = [
  ["plain Markdown", "# Title\n"],
  ["a thematic break after the first line", "\n---\na: b\n---\n"],
  ["a block without an end", "---\na: b\n\nText.\n"],
  ["a sentence between two thematic breaks", "---\nA sentence.\n---\n"],
  ["a list", "---\n- a\n- b\n---\n"],
  ["an empty block", "---\n---\n"],
  ["invalid YAML", "---\na: [b\nc: {\n---\n"],
  ["a duplicate key", "---\na: 1\na: 2\n---\n"],
  [
    "a YAML bomb",
    `---\na: &a [x, x]\n${
      "bcdefghij".split("").map((key, i) => `${key}: &${key} [${`*${"abcdefghi"[i]}, `.repeat(9)}x]\n`).join(
        "",
      )
    }---\n`,
  ],
  ["16,000 levels of nesting", `---\na: ${"[".repeat(16_000)}\n---\n`],
  ["33 levels of nesting", `---\na: ${"[".repeat(32)}${"]".repeat(32)}\n---\n`],
  ["a mapping as a key", "---\n{a: b}: c\n---\n"],
  ["an alias as a key", "---\na: &a [1]\n*a : b\n---\n"],
  // Took minutes: each level turned the keys below it into text.
  ["1,000 keys within keys", `---\n${"? ".repeat(1000)}\n---\n`],
  ["more than 16 KiB", `---\na: ${"x".repeat(17_000)}\n---\n`],
];

for (const [what, text] of NOT_FRONT_MATTER) {
  Deno.test(`readFrontMatter treats ${what} as text`, async () => {
    await loadFrontMatter();
    const reads = countReads(
      () => assertEquals(readFrontMatterSync(text), undefined),
      40 * text.length + 1000,
    );
    assert(reads > 0);
    assertEquals(await readFrontMatter(text), undefined);
  });
}

Deno.test("readFrontMatter returns only JSON values and sets no prototypes", async () => {
  const found = await readFrontMatter(
    "---\na: !!js/function 'function () {}'\nb: !!binary aGk=\nc: !!set {x}\nd: .inf\n__proto__: {evil: true}\n---\n",
  );
  const { a, b, d } = found!.metadata;
  assertEquals([a, b, d], ["function () {}", "aGk=", null]);
  assertEquals((found!.metadata as { evil?: boolean }).evil, undefined);
  assertEquals(({} as { evil?: boolean }).evil, undefined);
});

Deno.test("frontMatterTags accepts a list, or a string separated by commas or spaces", () => {
  const cases: [tags: unknown, expected: string[]][] = [
    [["a", "b c", 2024], ["a", "b c", "2024"]],
    ["a, b c,#d", ["a", "b c", "d"]],
    ["a b  #c", ["a", "b", "c"]],
    ["one", ["one"]],
    [7, ["7"]],
    [["a", "a", " a ", ""], ["a"]],
    [[{ deep: 1 }, null, ["x"], true], []],
    [["line\nbreak", "x".repeat(201)], []],
    [undefined, []],
    [null, []],
  ];
  for (const [tags, expected] of cases) {
    assertEquals(frontMatterTags({ tags }), expected, JSON.stringify(tags));
  }
  assertEquals(frontMatterTags({ tags: Array.from({ length: 100 }, (_, i) => i) }).length, 64);
});
