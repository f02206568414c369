import { assert, assertEquals } from "@std/assert";
import { chunkText } from "../../../src/extraction/chunking/chunk.ts";
import { approximateTokens } from "../../../src/extraction/chunking/tokens.ts";
import type { ChunkDraft, ChunkSource } from "../../../src/extraction/chunking/types.ts";
import type { OutlineEntry } from "../../../src/extraction/mod.ts";
import { countReads } from "../../support/count_reads.ts";
import { type Random, seededRandom } from "../../support/random.ts";

const WORDS = [
  "knowledge",
  "a",
  "e.g.",
  "Dr.",
  "3.14",
  "naïve",
  "知識ベース。",
  "データ",
  "한국어",
  "ภาษาไทย",
  "😀👩‍👩‍👧",
  "𠀀𠀁",
  "`code`",
  "[link](https://example.com/a_b)",
  "end.",
  "Really?!",
  "“Quoted.”",
  "# not a heading",
  "x".repeat(700),
  "漢".repeat(300),
];
const GLUE = [" ", " ", " ", " ", "\n", "  \n", "\n- ", "\n| ", "\n\n", "\u00a0", "\t", "\u3000"];
const STARTS = [
  "# ",
  "## ",
  "### ",
  "#",
  "###### ",
  "```\n",
  "~~~~ts\n",
  "- ",
  "> ",
  "    ",
  "\n\n\n",
  "",
  "---\n",
  "===\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n",
  "| head |\n|---|\n",
  "1. ",
];

function randomText(random: Random): string {
  let text = random.pick(["", "", "\n \n", "\ufeff", "   "]);
  for (let lines = random.int(40); lines >= 0; lines--) {
    text += random.pick(STARTS);
    for (let words = random.int(random.pick([2, 12, 40])); words > 0; words--) {
      text += random.pick(WORDS) + random.pick(GLUE);
    }
    text += random.pick(["\n", "\n\n", "\n```\n", "\n===\n", ""]);
  }
  return text;
}

function randomSource(seed: number): ChunkSource {
  const random = seededRandom(seed);
  const text = randomText(random);
  const pageStarts = random.int(3) > 0 ? undefined : [0];
  for (let at = 0; pageStarts && at < text.length;) pageStarts.push(at += 1 + random.int(900));
  const markup = random.pick(["markdown", "plain"] as const);
  if (random.int(3) > 0) return { text, markup, pageStarts };
  const outline: OutlineEntry[] = [];
  for (let start = random.int(50); start < text.length; start += random.int(400)) {
    outline.push({ start, level: 1 + random.int(4), title: `entry ${outline.length}` });
  }
  return { text, markup, pageStarts, outline, docType: random.pick(["code", "rst"]) };
}

function check(source: ChunkSource, chunks: ChunkDraft[], maxTokens: number): void {
  const { text, pageStarts } = source;
  let line = 1;
  const lines = Array.from(text.split(""), (unit) => unit === "\n" ? line++ : line);
  const pageOf = (offset: number) => Math.max(1, pageStarts!.filter((start) => start <= offset).length);
  let covered = 0;
  let before: ChunkDraft | undefined;
  for (const chunk of chunks) {
    const { repeatedChars = 0 } = chunk;
    assert(text.slice(chunk.charStart, chunk.charEnd) === chunk.text.slice(repeatedChars), "offsets match");
    assert(chunk.text === chunk.text.trim(), "no white space at the ends");
    assert(approximateTokens(chunk.text.slice(0, repeatedChars)) <= maxTokens / 3 + 1, "short header");
    assert(chunk.text !== "", "no chunk is empty");
    assert(chunk.text.isWellFormed(), "no surrogate pair is split");
    const tokens = approximateTokens(chunk.text);
    assert(tokens <= maxTokens, `a chunk has ${tokens} tokens`);
    assertEquals([chunk.lineStart, chunk.lineEnd], [lines[chunk.charStart], lines[chunk.charEnd - 1]]);
    assertEquals(
      [chunk.pageStart, chunk.pageEnd],
      pageStarts ? [pageOf(chunk.charStart), pageOf(chunk.charEnd - 1)] : [undefined, undefined],
    );
    if (before) {
      assert(chunk.charStart > before.charStart && chunk.charEnd > before.charEnd, "chunks move forward");
      const repeated = text.slice(chunk.charStart, Math.max(before.charEnd, chunk.charStart));
      assert(approximateTokens(repeated) <= maxTokens / 4, "the overlap is bounded");
    }
    assertEquals(text.slice(covered, Math.max(chunk.charStart, covered)).trim(), "", "no text is left out");
    covered = chunk.charEnd;
    before = chunk;
  }
  assertEquals(text.slice(covered).trim(), "", "the end of the text is not left out");
}

Deno.test("chunkText meets its guarantees for random documents", () => {
  for (let seed = 1; seed <= 120; seed++) {
    const source = randomSource(seed);
    for (const maxTokens of [16, 64, 320]) {
      const options = { maxTokens, overlapTokens: maxTokens / 4 };
      const chunks = chunkText(source, options);
      try {
        check(source, chunks, maxTokens);
        assert(
          JSON.stringify(chunkText(source, options)) === JSON.stringify(chunks),
          "the same text gives the same chunks",
        );
      } catch (error) {
        throw new Error(`seed ${seed}, maxTokens ${maxTokens}`, { cause: error });
      }
    }
  }
});

Deno.test("chunkText without overlap repeats no text", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const source = randomSource(seed);
    let end = 0;
    for (const chunk of chunkText(source, { maxTokens: 40, overlapTokens: 0 })) {
      assert(chunk.charStart >= end, `seed ${seed}`);
      end = chunk.charEnd;
    }
  }
});

const HOSTILE: [name: string, text: string][] = [
  ["one line without spaces", "x".repeat(200_000)],
  ["one line of surrogate pairs", `x${"😀".repeat(100_000)}`],
  ["only headings", "#\n".repeat(60_000)],
  ["one very long heading", `# ${"a".repeat(200_000)}\n\ntext`],
  ["only full stops", ".".repeat(200_000)],
  ["nested fences", "```\n# a\n````\n".repeat(16_000)],
  ["paragraphs of one letter", "a\n\n".repeat(60_000)],
  ["white space between two words", `a${" \n\t".repeat(60_000)}b`],
  ["a long table", `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(20_000)}`],
  ["a table of one row", `| a |\n|---|\n| ${"word ".repeat(20_000)}|`],
  ["only delimiter rows", "|---|---|\n".repeat(20_000)],
  ["one list", "- a. B\n\n".repeat(20_000)],
  ["sentences longer than a chunk", `${"word ".repeat(400)}. `.repeat(100)],
];

/** Maximum number of reads per character: measured 7 to 18. A quadratic step would need thousands. */
const MAX_READS = 25;

for (const [name, text] of HOSTILE) {
  Deno.test(`chunkText reads each character a bounded number of times for ${name}`, () => {
    const source = { text, markup: "markdown" as const, pageStarts: undefined };
    let chunks: ChunkDraft[] = [];
    countReads(
      () => chunks = chunkText(source, { maxTokens: 320, overlapTokens: 48 }),
      MAX_READS * text.length,
    );
    assert(chunks.every((chunk) => chunk.text.isWellFormed() && approximateTokens(chunk.text) <= 320));
    assert(
      chunks.every((chunk) => chunk.headingPath.join().length < 1300),
      "heading paths have a bounded length",
    );
    let covered = 0;
    for (const chunk of chunks) {
      assert(text.slice(covered, Math.max(covered, chunk.charStart)).trim() === "");
      covered = chunk.charEnd;
    }
    assert(text.slice(covered).trim() === "");
  });
}
