import { assert, assertEquals } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Chunk } from "../../src/contract/mod.ts";
import { chunkText } from "../../src/extraction/mod.ts";
import { type ChunkRange, type Passage, readPassages, startAround } from "../../src/tools/passages.ts";
import { estimateTokens } from "../../src/text/mod.ts";
import { seededRandom } from "../support/random.ts";

const { int } = seededRandom(12);
const sentence = (n: number) => `Sentence ${n} says that ${"herons wait ".repeat(int(9) + 1)}at pond ${n}.`;
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, n) => Array.from({ length: 5 }, (_, i) => sentence(5 * n + i)).join(" "));

/** Cuts a text as the engine does. */
function chunksOf(
  text: string,
  markup: "markdown" | "plain" = "plain",
  options = { maxTokens: 120, overlapTokens: 30 },
): Chunk[] {
  return chunkText({ text, markup, pageStarts: undefined }, options).map((draft, index) => ({
    chunk_id: 100 + index,
    index,
    text: draft.text,
    heading_path: [...draft.headingPath],
    char_start: draft.charStart,
    char_end: draft.charEnd,
    line_start: draft.lineStart,
    line_end: draft.lineEnd,
  }));
}

const range = (chunks: readonly Chunk[]): ChunkRange => ({ chunks, first: 0 });
const joined = (passages: readonly Passage[]) => passages.map(({ text }) => text).join("");
const tokens = (passages: readonly Passage[]) => estimateTokens(JSON.stringify(passages));

const PLAIN = paragraphs(40).join("\n\n");
const MARKDOWN = paragraphs(40).map((text, n) => `## Part ${n}\n\n${text}`).join("\n\n");

Deno.test("the chunks of a section are one passage, without their overlap", () => {
  const chunks = chunksOf(PLAIN);
  assert(chunks.length > 20);
  assertEquals(readPassages(range(chunks), { from: 0 }), {
    passages: [{ index: 0, text: PLAIN }],
    next: chunks.length,
  });
});

Deno.test("a document read in pages of any size is its text, character for character", () => {
  for (
    const [text, markup] of [[PLAIN, "plain"], [MARKDOWN, "markdown"], [
      "東京タワー。".repeat(900),
      "plain",
    ]] as const
  ) {
    const chunks = chunksOf(text, markup);
    for (
      const options of [{ limit: 1 }, { limit: 7 }, { maxTokens: 90 }, { maxTokens: 333 }, {
        maxTokens: 2000,
      }]
    ) {
      const pages: string[] = [];
      for (let from = 0; from < chunks.length;) {
        const page = readPassages(range(chunks), { from, ...options });
        assert(page.next > from);
        pages.push(joined(page.passages));
        from = page.next;
      }
      assertEquals(pages.join(""), text, JSON.stringify(options));
    }
  }
});

Deno.test("a budget is filled to 93 % and never exceeded", () => {
  for (const text of [PLAIN, MARKDOWN]) {
    const chunks = chunksOf(text, text === MARKDOWN ? "markdown" : "plain");
    for (let maxTokens = 400; maxTokens < 4000; maxTokens += 37) {
      const { passages } = readPassages(range(chunks), { from: 3, maxTokens });
      const used = tokens(passages);
      assert(used <= maxTokens && used > 0.93 * maxTokens - 20, `${used} of ${maxTokens}`);
    }
  }
});

Deno.test("a small budget still reads on", () => {
  const chunks = chunksOf(PLAIN);
  const { passages, next } = readPassages(range(chunks), { from: 0, maxTokens: 1 });
  assertEquals(PLAIN.startsWith(joined(passages)) && joined(passages).length > 60, true);
  assert(next > 0 && next < 1);
});

Deno.test("each section and page has a passage of its own, with headings and page where they change", () => {
  const chunk = (text: string, heading_path: string[], page_start?: number): Chunk => ({
    chunk_id: text,
    text,
    heading_path,
    ...(page_start === undefined ? {} : { page_start }),
  });
  const sections = [
    chunk("# A", ["A"]),
    chunk("a", ["A"]),
    chunk("b", ["A", "B"]),
    chunk("## C", ["A", "C"]),
    chunk("d", []),
  ];
  assertEquals<unknown>(readPassages(range(sections), { from: 0 }).passages, [
    { index: 0, text: "# A\n\na" },
    { index: 2, chunk_id: "b", heading_path: ["A", "B"], text: "\n\nb" },
    { index: 3, chunk_id: "## C", text: "\n\n## C" },
    { index: 4, chunk_id: "d", text: "\n\nd" },
  ]);
  assertEquals<unknown>(readPassages(range(sections), { from: 1, limit: 1 }).passages, [
    { index: 1, chunk_id: "a", heading_path: ["A"], text: "\n\na" },
  ]);
  const pages = [chunk("a", [], 1), chunk("b", [], 1), chunk("c", [], 3)];
  assertEquals<unknown>(readPassages(range(pages), { from: 0 }).passages, [
    { index: 0, page_start: 1, text: "a\n\nb" },
    { index: 2, chunk_id: "c", page_start: 3, text: "\n\nc" },
  ]);
});

Deno.test("the text around a chunk has the chunk, and about as much before it as after it", () => {
  const chunks = chunksOf(PLAIN);
  const last = chunks.length - 1;
  for (const maxTokens of [500, 1000, 2000]) {
    for (const index of [0, 1, 15, last - 1, last]) {
      const start = startAround(range(chunks), index, maxTokens);
      const { passages, next } = readPassages({ chunks: chunks.slice(start), first: start }, {
        from: start,
        maxTokens,
      });
      assert(start <= index && next >= index + 1, `${start} ${index} ${next}`);
      assert(tokens(passages) <= maxTokens && tokens(passages) > 0.65 * maxTokens);
      if (index === 15) assert(Math.abs((index - start) - (next - index - 1)) <= 4, `${start} ${next}`);
    }
  }
});

Deno.test("the manuals of this project cost 7 % more in passages than their text at most", async () => {
  for (const name of ["configuration", "operations", "search", "limits"]) {
    const text = await Deno.readTextFile(new URL(`../../docs/${name}.md`, import.meta.url));
    const chunks = chunksOf(text, "markdown", { maxTokens: 320, overlapTokens: 48 });
    const { passages } = readPassages(range(chunks), { from: 0 });
    const cost = encode(JSON.stringify(passages)).length / encode(JSON.stringify(text)).length;
    assert(cost < 1.07, `${name}: ${cost}`);
  }
});

Deno.test("pages of any size end, also in a text that starts with white space before a long word", () => {
  const word = `https://example.org/${"a1-".repeat(200)}`;
  for (const text of [`${" ".repeat(90)}${word}`, `Start.${" ".repeat(90)}${word}`]) {
    const start = text.search(/\S/);
    const chunk = {
      chunk_id: 1,
      index: 0,
      text: text.slice(start),
      char_start: start,
      char_end: text.length,
    };
    for (let maxTokens = 0; maxTokens <= 100; maxTokens += 5) {
      let read = "";
      for (let [from, page] = [0, 0]; from < 1; page++) {
        assert(page < 300, `${maxTokens} tokens: page ${page} starts at ${from}`);
        const range = { chunks: [chunk], first: 0, exact: text };
        const { passages, next } = readPassages(range, { from, limit: 10, maxTokens });
        read += joined(passages);
        from = next;
      }
      assertEquals(read, text, `${maxTokens} tokens`);
    }
  }
});
