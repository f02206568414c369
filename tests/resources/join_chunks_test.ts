import { assert, assertEquals } from "@std/assert";
import type { Chunk } from "../../src/contract/mod.ts";
import { chunkText } from "../../src/extraction/mod.ts";
import { joinChunks } from "../../src/resources/join_chunks.ts";

const PARTS = Array.from(
  { length: 60 },
  (_, i) =>
    `## Part ${i}\n\n${
      `Sentence ${i} of many, with words. `.repeat(i % 3 === 0 ? 150 : 8).trimEnd()
    }\n\n- one\n- two\n\n` +
    "```js\nif (a) {\n    b();\n}\n```",
);

const TEXTS: Record<string, string> = {
  "sections, lists and code": `# Handbook\n\n${PARTS.join("\n\n")}`,
  "one endless line": "word ".repeat(5_000).trimEnd(),
  "no spaces at all": "x1y2z3".repeat(2_000),
  "Japanese": "これは長い文章です。次の文もあります。".repeat(400),
  "emoji": "👩‍👩‍👧‍👦🎉".repeat(1_500),
  "the same line again and again": "The very same line, again and again.\n".repeat(500).trimEnd(),
  "blank lines in many": Array.from({ length: 300 }, (_, i) => `Paragraph ${i} of the text.`).join(
    "\n\n\n\n",
  ),
};

function chunksOf(text: string): Chunk[] {
  const drafts = chunkText({ text, markup: "markdown", pageStarts: undefined }, {
    maxTokens: 100,
    overlapTokens: 20,
  });
  return drafts.map((draft, index) => ({
    chunk_id: index,
    text: draft.text,
    char_start: draft.charStart,
    char_end: draft.charEnd,
    line_start: draft.lineStart,
    line_end: draft.lineEnd,
  }));
}

for (const [name, text] of Object.entries(TEXTS)) {
  Deno.test(`the chunks of ${name} join to the original text`, () => {
    const chunks = chunksOf(text);
    assert(chunks.length > 10);
    assertEquals(joinChunks(chunks), text);
  });
}

Deno.test("offsets count only where the text agrees: an engine may count code points", () => {
  const text = "🎉".repeat(30) + " The party is over now, and everyone went home. Goodbye, said the host.";
  const [cut, overlap] = [40, 25];
  const points = [...text];
  const chunk = (start: number, end: number): Chunk => ({
    chunk_id: start,
    text: points.slice(start, end).join(""),
    char_start: start,
    char_end: end,
  });
  assertEquals(joinChunks([chunk(0, cut), chunk(cut - overlap, points.length)]), text);
});

Deno.test("without offsets an overlap is told by the text", () => {
  const chunks = [
    "First comes this. Then comes the shared sentence.",
    "Then comes the shared sentence. And the end.",
  ];
  assertEquals(
    joinChunks(chunks.map((text, chunk_id) => ({ chunk_id, text }))),
    "First comes this. Then comes the shared sentence. And the end.",
  );
});

Deno.test("without offsets nothing that stands twice by chance is lost", () => {
  const line = "The very same line, again and again.";
  for (
    const chunks of [
      [line, line, line],
      [`Before. ${line}`, line],
      [line, `${line} After.`],
      ["ends with the", "the next"],
      ["", "a"],
      ["a", ""],
    ]
  ) {
    assertEquals(joinChunks(chunks.map((text, chunk_id) => ({ chunk_id, text }))), chunks.join("\n\n"));
  }
});

Deno.test("offsets that cannot be right do no harm", () => {
  const chunk = (char_start: number, char_end: number, line: number): Chunk => ({
    chunk_id: char_start,
    text: `text at ${char_start}`,
    char_start,
    char_end,
    line_start: line,
    line_end: line,
  });
  for (const start of [-5, 0, 9, 2 ** 50]) {
    for (const line of [-1, 1, 2 ** 40]) {
      const joined = joinChunks([chunk(0, 10, 1), chunk(start, start + 5, line)]);
      assert(joined.startsWith("text at 0") && joined.endsWith(`text at ${start}`) && joined.length < 200);
    }
  }
});

Deno.test("an overlap is found in one pass, whatever the text is", () => {
  const text = "ab".repeat(500_000);
  const started = performance.now();
  joinChunks(
    Array.from({ length: 20 }, (_, chunk_id) => ({ chunk_id, text: chunk_id % 2 ? text : `${text}a` })),
  );
  assert(performance.now() - started < 2_000);
});
