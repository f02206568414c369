import { assert, assertEquals, assertThrows } from "@std/assert";
import { chunkText } from "../../../src/extraction/chunking/chunk.ts";
import { approximateTokens } from "../../../src/extraction/chunking/tokens.ts";
import type { ChunkDraft, ChunkOptions, ChunkSource } from "../../../src/extraction/chunking/types.ts";

const SIZES: ChunkOptions = { maxTokens: 64, overlapTokens: 12 };

function chunk(text: string, options = SIZES, markup: ChunkSource["markup"] = "markdown"): ChunkDraft[] {
  return chunkText({ text, markup, pageStarts: undefined }, options);
}

function sentences(count: number, subject: string): string {
  return Array.from({ length: count }, (_, i) => `The ${subject} has property number ${i}.`).join(" ");
}

Deno.test("chunkText returns one chunk for a short note with several headings", () => {
  const [only, ...more] = chunk("# One\n\ntext\n\n# Two\n\n## Three\n\nmore text\n");
  assertEquals(more, []);
  assertEquals(only!.text, "# One\n\ntext\n\n# Two\n\n## Three\n\nmore text");
  assertEquals(only!.headingPath, []);
});

Deno.test("chunkText returns no chunk for white space", () => assertEquals(chunk(" \n\t\n"), []));

Deno.test("chunkText splits at headings and sets the heading path", () => {
  const chunks = chunk(
    `# Garden\n\n${sentences(4, "garden")}\n\n## Ferns\n\n${sentences(4, "fern")}\n\n## Roses ##\n\n${
      sentences(4, "rose")
    }\n\n# House\n\n${sentences(4, "house")}\n`,
  );
  assertEquals(chunks.map((one) => one.headingPath), [
    ["Garden"],
    ["Garden", "Ferns"],
    ["Garden", "Roses"],
    ["House"],
  ]);
  assert(chunks[1]!.text.startsWith("## Ferns\n\nThe fern"));
});

Deno.test("chunkText recognizes Setext headings", () => {
  const chunks = chunk(
    `Garden\n======\n\n${sentences(4, "garden")}\n\nFerns\n---\n\n${sentences(4, "fern")}`,
  );
  assertEquals(chunks.map((one) => one.headingPath), [["Garden"], ["Garden", "Ferns"]]);
  assert(chunks[1]!.text.startsWith("Ferns\n---"));
});

const NOT_HEADINGS: [what: string, lines: string][] = [
  ["a hash inside a backtick fence", "```sh\n# comment\n```"],
  ["a hash inside a tilde fence with backticks in it", "~~~\n```\n# comment\n~~~"],
  ["a hash inside a longer fence", "````\n```\n# comment\n````"],
  ["a hash inside the fence of a list item", "- ```sh\n  # comment\n  ```"],
  ["a hash inside an unclosed fence", "```\n# comment"],
  ["a hashtag", "#comment"],
  ["seven hashes", "####### comment"],
  ["indented code", "    # comment"],
  ["a thematic break after a list", "- comment\n---"],
  ["a thematic break after an empty line", "comment\n\n---"],
  ["a table", "| comment |\n|---|"],
];

for (const [what, lines] of NOT_HEADINGS) {
  Deno.test(`chunkText does not treat ${what} as a heading`, () => {
    for (const one of chunk(`# Garden\n\n${sentences(5, "garden")}\n\n${lines}`)) {
      assertEquals(one.headingPath, ["Garden"]);
    }
  });
}

Deno.test("chunkText recognizes headings after a fence", () => {
  const chunks = chunk(`- \`\`\`sh\n  # comment\n  \`\`\`\n\n# Garden\n\n${sentences(12, "garden")}`);
  assertEquals(chunks.at(-1)!.headingPath, ["Garden"]);
});

Deno.test("chunkText recognizes no headings in plain text", () => {
  for (const one of chunk(`# Garden\n\n${sentences(8, "garden")}`, SIZES, "plain")) {
    assertEquals(one.headingPath, []);
  }
});

Deno.test("chunkText keeps a fence whole when it fits", () => {
  const fence = "```ts\nconst a = 1;\n\n// Not. A. Sentence.\nconst b = 2;\n```";
  for (let before = 1; before < 8; before++) {
    const chunks = chunk(`# Code\n\n${sentences(before, "line")}\n\n${fence}\n\n${sentences(5, "rest")}`);
    assertEquals(chunks.filter((one) => one.text.includes("```")).length, 1, `${before} sentences before`);
    assert(chunks.some((one) => one.text.includes(fence)));
  }
});

Deno.test("chunkText splits a long fence at its lines", () => {
  const fence = "```\n" + Array.from({ length: 40 }, (_, i) => `let value_${i} = ${i};`).join("\n") + "\n```";
  for (const one of chunk(fence)) {
    assert(one.text.split("\n").every((line) => fence.split("\n").includes(line)), one.text);
  }
});

Deno.test("chunkText merges short sections only with their siblings", () => {
  const chunks = chunk(
    `# A\n\n## A1\n\nShort.\n\n## A2\n\nShort too.\n\n# B\n\n## B1\n\nShort.\n\n${sentences(9, "end")}`,
  );
  assertEquals(chunks[0]!.text, "# A\n\n## A1\n\nShort.\n\n## A2\n\nShort too.");
  assertEquals(chunks[0]!.headingPath, ["A"]);
  assertEquals(chunks[1]!.headingPath, ["B", "B1"]);
});

Deno.test("chunkText keeps a heading together with its text", () => {
  const chunks = chunk(
    `# A\n\n## B\n\n### C\n\n${sentences(20, "thing")}\n\n## D\n\n${sentences(5, "other")}`,
  );
  assert(chunks[0]!.text.startsWith("# A\n\n## B\n\n### C\n\nThe thing"));
  assertEquals(chunks[0]!.headingPath, ["A", "B", "C"]);
  const fenced = chunk(`# Code\n\n\`\`\`\n${"let a = 1;\n".repeat(22)}\`\`\`\n`);
  assert(fenced[0]!.text.startsWith("# Code\n\n```\nlet a"));
});

Deno.test("chunkText overlaps chunks of a section by whole sentences", () => {
  const text = `# A\n\n${sentences(30, "thing")}`;
  const chunks = chunk(text);
  for (const [i, one] of chunks.entries()) {
    if (i === 0) continue;
    const before = chunks[i - 1]!;
    assert(one.charStart < before.charEnd, "chunks overlap");
    assert(one.text.startsWith("The thing has"), "the overlap starts with a sentence");
    assert(approximateTokens(text.slice(one.charStart, before.charEnd)) <= SIZES.overlapTokens);
  }
});

Deno.test("chunkText overlaps by whole words if sentences are too long", () => {
  const chunks = chunk("knowledge ".repeat(300), SIZES, "plain");
  assert(chunks.length > 5);
  for (const one of chunks) assert(/^(knowledge )*knowledge$/.test(one.text));
  assert(chunks.slice(1).every((one, i) => one.charStart < chunks[i]!.charEnd));
});

Deno.test("chunkText never overlaps across a heading", () => {
  const text = ["A", "B", "C", "D"].map((name) => `## ${name}\n\n${sentences(12, name)}`).join("\n\n");
  for (const one of chunk(text)) {
    const names = new Set(one.text.match(/The [A-D]/g));
    assertEquals(names, new Set([`The ${one.headingPath[0]}`]));
  }
});

Deno.test("chunkText prefers to split between paragraphs", () => {
  const paragraphs = Array.from({ length: 12 }, (_, i) => sentences(4, `thing${i}`));
  const chunks = chunk(paragraphs.join("\n\n"), { maxTokens: 64, overlapTokens: 0 });
  for (const one of chunks) {
    assert(one.text.split("\n\n").every((part) => paragraphs.includes(part)), one.text);
  }
});

Deno.test("chunkText fills the chunks of a section evenly", () => {
  const tokens = chunk(sentences(9, "thing"), { maxTokens: 64, overlapTokens: 0 }).map((one) =>
    approximateTokens(one.text)
  );
  assert(tokens.length > 1 && tokens.every((one) => one > 20), tokens.join());
});

Deno.test("chunkText splits CJK text at full stops", () => {
  const chunks = chunk("水をやる。土を替える！日に当てる？".repeat(20));
  assert(chunks.length > 3);
  for (const one of chunks) assert(/^[水土日]/.test(one.text) && /[。！？]$/.test(one.text), one.text);
});

Deno.test("chunkText sets the pages of each chunk", () => {
  const pages = [sentences(8, "first"), sentences(8, "second"), sentences(8, "third")];
  const text = pages.join("\n\n");
  const pageStarts = [0, pages[0]!.length + 2, pages[0]!.length + pages[1]!.length + 4];
  const chunks = chunkText({ text, markup: "plain", pageStarts }, SIZES);
  for (const one of chunks) {
    assertEquals([one.pageStart! <= 1, one.pageEnd! >= 1], [one.text.includes("first"), true]);
    assertEquals(one.pageEnd! >= 3, one.text.includes("third"));
  }
  assertEquals([chunks[0]!.pageStart, chunks.at(-1)!.pageEnd], [1, 3]);
});

Deno.test("chunkText rejects invalid sizes", () => {
  for (const maxTokens of [0, 15, 20.5, NaN, Infinity]) {
    assertThrows(() => chunk("text", { maxTokens, overlapTokens: 0 }), RangeError, "maxTokens must be");
  }
  for (const overlapTokens of [-1, 33, 1.5, NaN]) {
    assertThrows(() => chunk("text", { maxTokens: 64, overlapTokens }), RangeError, "overlapTokens must be");
  }
});

Deno.test("approximateTokens counts four code units, or one character of a dense script", () => {
  for (
    const [text, tokens] of [["", 0], ["a", 1], ["abcde", 2], ["漢字", 2], ["𠀀𠀁", 2], ["ภา", 2], [
      "한국",
      2,
    ], ["　", 1]] as const
  ) {
    assertEquals(approximateTokens(text), tokens, text);
  }
});
