import { assert, assertEquals } from "@std/assert";
import type { Chunk } from "../../src/contract/mod.ts";
import { chunkText } from "../../src/extraction/mod.ts";
import { joinChunks } from "../../src/tools/join_chunks.ts";
import { seededRandom } from "../support/random.ts";

const SECTIONS = Array.from(
  { length: 60 },
  (_, i) =>
    `## Section ${i}\n\n${
      `Sentence ${i} of many, with words. `.repeat(i % 3 === 0 ? 150 : 8).trimEnd()
    }\n\n- one\n- two\n\n` +
    "```js\nif (a) {\n    b();\n}\n```",
);

const TEXTS: Record<string, string> = {
  "sections, lists and code": `# Handbook\n\n${SECTIONS.join("\n\n")}`,
  "a single long line": "word ".repeat(5_000).trimEnd(),
  "no spaces at all": "x1y2z3".repeat(2_000),
  "Japanese": "これは長い文章です。次の文もあります。".repeat(400),
  "emoji": "👩‍👩‍👧‍👦🎉".repeat(1_500),
  "a repeated line": "The same line, repeated many times.\n".repeat(500).trimEnd(),
  "a table": `| a | b |\n|---|---|  \n${"| value | another |\n".repeat(250)}\nText.\n\n| c |\n|---|\n${
    "| long value |\n".repeat(60)
  }| end |`,
  "many blank lines": Array.from({ length: 300 }, (_, i) => `Paragraph ${i} of the text.`).join(
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
    repeated_chars: draft.repeatedChars ?? null,
    char_start: draft.charStart,
    char_end: draft.charEnd,
    line_start: draft.lineStart,
    line_end: draft.lineEnd,
  }));
}

for (const [name, text] of Object.entries(TEXTS)) {
  Deno.test(`joining the chunks of ${name} restores the original`, () => {
    const chunks = chunksOf(text);
    assert(chunks.length > 10);
    assertEquals(joinChunks(chunks), text);
  });
}

Deno.test("offsets that the text does not confirm are ignored, such as offsets in code points", () => {
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

Deno.test("without offsets the overlap is found by the text", () => {
  const chunks = [
    "First comes this. Then comes the shared sentence.",
    "Then comes the shared sentence. And the end.",
  ];
  assertEquals(
    joinChunks(chunks.map((text, chunk_id) => ({ chunk_id, text }))),
    "First comes this. Then comes the shared sentence. And the end.",
  );
});

Deno.test("without offsets a coincidental repetition is kept", () => {
  const line = "The same line, repeated many times.";
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

Deno.test("invalid offsets lose no text", () => {
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

Deno.test("an overlap found by the text has 20 to 2,000 characters", () => {
  const { int } = seededRandom(7);
  const random = Array.from({ length: 2_001 }, () => String.fromCharCode(97 + int(26))).join("");
  for (const [length, isOverlap] of [[19, false], [20, true], [1_999, true], [2_001, false]] as const) {
    const shared = random.slice(0, length);
    const chunks = [`First, ${shared}`, `${shared}, last`].map((text, chunk_id) => ({ chunk_id, text }));
    const expected = isOverlap ? `First, ${shared}, last` : `First, ${shared}\n\n${shared}, last`;
    assertEquals(joinChunks(chunks), expected);
  }
});

Deno.test("periodic texts of any length are joined", () => {
  const text = "ab".repeat(500_000);
  const chunks = [text, `${text}a`, text].map((text, chunk_id) => ({ chunk_id, text }));
  assertEquals(joinChunks(chunks).length, 3 * text.length + 1 - 2_000 - 1_999);
});
