import { assert, assertEquals } from "@std/assert";
import { frontMatterTags, readFrontMatter } from "../../src/extraction/front_matter.ts";

Deno.test("readFrontMatter splits metadata and body", async () => {
  assertEquals(await readFrontMatter("---\ntitle: A\nn: 1.5\nlist: [x, 2, null]\n---\nBody\n"), {
    metadata: { title: "A", n: 1.5, list: ["x", 2, null] },
    body: "\nBody\n",
  });
});

Deno.test("readFrontMatter takes three dots for an end, and blanks after the marks", async () => {
  assertEquals((await readFrontMatter("---  \na: b\n...\t\nBody"))?.body, "\nBody");
});

Deno.test("readFrontMatter leaves dates and the words yes and no as they are written", async () => {
  const found = await readFrontMatter("---\ndate: 2024-05-01\nanswer: no\n---\n");
  assertEquals(found?.metadata, { date: "2024-05-01", answer: "no" });
});

const NONE: [what: string, text: string][] = [
  ["text without it", "# Title\n"],
  ["a rule that is not on the first line", "\n---\na: b\n---\n"],
  ["a beginning without an end", "---\na: b\n\nText.\n"],
  ["a rule, a sentence and a rule", "---\nA sentence.\n---\n"],
  ["a list", "---\n- a\n- b\n---\n"],
  ["nothing between the marks", "---\n---\n"],
  ["broken YAML", "---\na: [b\nc: {\n---\n"],
  ["the same key twice", "---\na: 1\na: 2\n---\n"],
  [
    "a YAML bomb",
    `---\na: &a [x, x]\n${
      "bcdefghij".split("").map((key, i) => `${key}: &${key} [${`*${"abcdefghi"[i]}, `.repeat(9)}x]\n`).join(
        "",
      )
    }---\n`,
  ],
  ["endless nesting", `---\na: ${"[".repeat(30_000)}\n---\n`],
  ["more than 64 KiB", `---\na: ${"x".repeat(70_000)}\n---\n`],
];

for (const [what, text] of NONE) {
  Deno.test(`readFrontMatter takes ${what} for text, quickly`, async () => {
    const started = performance.now();
    assertEquals(await readFrontMatter(text), undefined);
    assert(performance.now() - started < 3_000);
  });
}

Deno.test("readFrontMatter builds nothing but JSON values, and no prototypes", async () => {
  const found = await readFrontMatter(
    "---\na: !!js/function 'function () {}'\nb: !!binary aGk=\nc: !!set {x}\nd: .inf\n__proto__: {evil: true}\n---\n",
  );
  const { a, b, d } = found!.metadata;
  assertEquals([a, b, d], ["function () {}", "aGk=", null]);
  assertEquals((found!.metadata as { evil?: boolean }).evil, undefined);
  assertEquals(({} as { evil?: boolean }).evil, undefined);
});

Deno.test("frontMatterTags takes a list, or a string with commas or spaces", () => {
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
