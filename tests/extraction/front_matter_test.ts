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

Deno.test("readFrontMatter reads TOML, with times in their time zone", async () => {
  const found = await readFrontMatter(
    '+++  \ntitle = "A"\ndate = 2024-05-01T10:00:00+02:00\nday = 2024-05-01\nn = 1.5\nbig = inf\n__proto__ = 1\n' +
      '[taxonomies]\ntags = ["x", "y"]\n+++\nBody\n---\n',
  );
  assertEquals(Object.entries(found?.metadata ?? {}), [
    ["title", "A"],
    ["date", "2024-05-01T10:00:00.000+02:00"],
    ["day", "2024-05-01"],
    ["n", 1.5],
    ["big", null],
    ["__proto__", 1],
    ["taxonomies", { tags: ["x", "y"] }],
  ]);
  assertEquals(found?.body, "\nBody\n---\n");
  assertEquals(frontMatterTags(found!.metadata), ["x", "y"]);
  assertEquals(frontMatterTags({ tags: "foo", taxonomies: { tags: ["x"] } }), ["foo"]);
  assertEquals(frontMatterTags({ taxonomies: null }), []);
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
  ["TOML without an end", "+++\na = 1\n\nText.\n"],
  ["a sentence between two lines of plus signs", "+++\nA sentence.\n+++\n"],
  ["YAML between lines of plus signs", "+++\na: 1\n+++\n"],
  ["TOML between dashes", "---\na = 1\n---\n"],
  ["an empty block of TOML", "+++\n+++\n"],
  ["a duplicate key in TOML", "+++\na = 1\na = 2\n+++\n"],
  ["33 levels of TOML", `+++\na = ${"[".repeat(33)}${"]".repeat(33)}\n+++\n`],
  ["8,000 open lists of TOML", `+++\na = ${"[".repeat(8_000)}\n+++\n`],
  ["8,000 dotted keys of TOML", `+++\n${"a.".repeat(8_000)}a = 1\n+++\n`],
  ["more than 16 KiB of TOML", `+++\na = "${"x".repeat(17_000)}"\n+++\n`],
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

Deno.test("front matter with more than 100 aliases is text, before they are resolved", async () => {
  const withAliases = (count: number) => `---\na: &a 1\nb:\n${"- *a\n".repeat(count)}---\nBody\n`;
  assertEquals((await readFrontMatter(withAliases(2)))?.metadata, { a: 1, b: [1, 1] });
  const many = Array.from({ length: 101 }, (_, at) => `a${at}: &a${at} 1\nb${at}: *a${at}\n`);
  assert(await readFrontMatter(`---\n${many.slice(1).join("")}---\nBody\n`));
  assertEquals(await readFrontMatter(`---\n${many.join("")}---\nBody\n`), undefined);
  // Each alias stands for the value that contains the one before.
  const nested = `title: a: b\nlist:\n${"- &a [*a]\n".repeat(1_300)}`;
  assertEquals(await readFrontMatter(`---\n${nested}---\nBody\n`), undefined);
});
