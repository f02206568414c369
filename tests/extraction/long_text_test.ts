import { assert, assertEquals, assertRejects } from "@std/assert";
import { chunkText } from "../../src/extraction/chunking/chunk.ts";
import { ExtractionError } from "../../src/extraction/errors.ts";
import { readLongText } from "../../src/extraction/long_text.ts";
import { normalizeText } from "../../src/extraction/normalize.ts";
import { seededRandom } from "../support/random.ts";

const CHUNK = { maxTokens: 32, overlapTokens: 4 };

interface Options {
  readonly partBytes?: number;
  readonly segmentChars?: number;
  readonly maxTextChars?: number;
}

/** Reads a text whose bytes arrive in parts of `partBytes`. */
async function read(bytes: Uint8Array, { partBytes = 1000, segmentChars, maxTextChars = 1e9 }: Options = {}) {
  async function* parts() {
    for (let at = 0; at < bytes.length; at += partBytes) yield bytes.slice(at, at + partBytes);
  }
  const file = { bytes: parts(), filename: "app.log", contentType: undefined };
  const options = { chunk: CHUNK, maxTextChars, ...(segmentChars && { segmentChars }) };
  const [first, ...rest] = await Array.fromAsync(readLongText(file, options));
  return { document: first?.document, chunks: rest.flatMap(({ chunks = [] }) => chunks) };
}

/** Random lines and paragraphs of words, some with accents that normalization composes. */
function randomText(seed: number, words: number, lineEnd = "\n"): string {
  const random = seededRandom(seed);
  const parts = ["water", "plants", "cafe\u0301", "日本語", "😀", "x".repeat(60)];
  const gap = () => random.int(10) === 0 ? lineEnd.repeat(1 + random.int(2)) : " ";
  return Array.from({ length: words }, () => random.pick(parts) + gap()).join("");
}

Deno.test("a text in one segment has the chunks of the whole text", async () => {
  const text = randomText(1, 300);
  const { chunks, document } = await read(new TextEncoder().encode(text), { partBytes: 7 });
  const source = { text: normalizeText(text), markup: "plain" as const, pageStarts: undefined };
  assertEquals(chunks, chunkText(source, CHUNK));
  assertEquals(document, { docType: "text", title: undefined, metadata: undefined, warnings: [], tags: [] });
});

for (const lineEnd of ["\n", "\r\n", "\r", " "]) {
  Deno.test(`chunks of segments have the offsets and lines of the text (${JSON.stringify(lineEnd)})`, async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const original = randomText(seed, 400, lineEnd);
      const text = normalizeText(original);
      const { chunks } = await read(new TextEncoder().encode(original), {
        partBytes: 11 + seed,
        segmentChars: 500,
      });
      let at = 0;
      for (const chunk of chunks) {
        assertEquals(chunk.text, text.slice(chunk.charStart, chunk.charEnd));
        assertEquals(chunk.lineStart, text.slice(0, chunk.charStart).split("\n").length);
        assertEquals(chunk.lineEnd, text.slice(0, chunk.charEnd).split("\n").length);
        // Nothing but white space is missing.
        assertEquals(text.slice(at, Math.max(at, chunk.charStart)).trim(), "");
        at = chunk.charEnd;
      }
      assertEquals(text.slice(at).trim(), "");
      assert(chunks.length > 10);
    }
  });
}

Deno.test("the encoding is that of the first megabyte", async () => {
  const words = "Příliš žluťoučký kůň úpěl ďábelské ódy a řeka tekla dál. ";
  const utf16 = Uint8Array.from([
    0xff,
    0xfe,
    ...new Uint8Array(Uint16Array.from(words, (c) => c.charCodeAt(0)).buffer),
  ]);
  assertEquals((await read(utf16, { partBytes: 5 })).chunks[0]?.text, words.trim());
  const cp1250: Record<string, number> = {
    ř: 0xf8,
    š: 0x9a,
    ž: 0x9e,
    ů: 0xf9,
    ň: 0xf2,
    ě: 0xec,
    č: 0xe8,
    ď: 0xef,
    ť: 0x9d,
  };
  const bytes = Uint8Array.from(words.repeat(40), (c) => cp1250[c] ?? c.charCodeAt(0));
  const { document, chunks } = await read(bytes);
  assertEquals([document?.metadata?.["encoding"], chunks[0]?.text.slice(0, 16)], [
    "windows-1250",
    words.slice(0, 16),
  ]);
});

Deno.test("binary data, white space and a text over the limit are refused", async () => {
  const refusals = [
    [Uint8Array.from({ length: 3000 }, (_, i) => i % 251), {}, "unsupported_type"],
    [new TextEncoder().encode(" \n\t ".repeat(500)), {}, "no_text"],
    [new TextEncoder().encode("word ".repeat(500)), { segmentChars: 100, maxTextChars: 1000 }, "too_large"],
  ] as const;
  for (const [bytes, options, code] of refusals) {
    const { code: actual } = await assertRejects(() => read(bytes, options), ExtractionError);
    assertEquals(actual, code);
  }
});
