import { chunkText } from "./chunking/chunk.ts";
import type { ChunkDraft, ChunkOptions } from "./chunking/types.ts";
import { streamEncoding } from "./encoding/stream.ts";
import { displayName, noText, unsupported } from "./errors.ts";
import { normalizeText, tooLongText } from "./normalize.ts";
import type { ExtractedText, SourceFile } from "./types.ts";

/** Number of bytes by which the encoding is judged. */
const SAMPLE_BYTES = 2 ** 20;
/** Number of characters that are chunked together. */
const SEGMENT_CHARS = 2 ** 18;

/** A text file whose bytes arrive one after the other. */
export interface LongTextFile extends Omit<SourceFile, "bytes"> {
  readonly bytes: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** The document of a long text, without its text. */
export type LongTextDocument = Pick<ExtractedText, "docType" | "title" | "metadata" | "tags" | "warnings">;

/** Items of {@linkcode readLongText}: first the document, then its chunks. */
export type LongTextPart =
  | { readonly document: LongTextDocument; readonly chunks?: undefined }
  | { readonly document?: undefined; readonly chunks: readonly ChunkDraft[] };

/**
 * Reads a text file of any size as plain text, in the memory of a few hundred thousand characters. The encoding is judged by the
 * first megabyte. The chunks are those of the whole text, except that none reaches from one segment to the next;
 * segments end at paragraphs, or else at lines.
 *
 * @throws {ExtractionError} `unsupported_type` for binary data, `too_large`, or `no_text` for white space.
 *
 * @example
 * ```ts
 * import { readLongText } from "./long_text.ts";
 * import { assertEquals } from "@std/assert";
 * const bytes = ReadableStream.from([new TextEncoder().encode("one\n"), new TextEncoder().encode("two\n")]);
 * const file = { bytes, filename: "a.log", contentType: undefined };
 * const chunk = { maxTokens: 320, overlapTokens: 48 };
 * const parts = await Array.fromAsync(readLongText(file, { chunk, maxTextChars: 1000 }));
 * assertEquals(parts.flatMap(({ chunks = [] }) => chunks).map(({ text }) => text), ["one\ntwo"]);
 * ```
 */
export async function* readLongText(
  { bytes, filename, contentType }: LongTextFile,
  { chunk, maxTextChars, segmentChars = SEGMENT_CHARS }: {
    readonly chunk: ChunkOptions;
    readonly maxTextChars: number;
    /** Number of characters that are chunked together. @default {2 ** 18} */
    readonly segmentChars?: number;
  },
): AsyncGenerator<LongTextPart> {
  const name = displayName(filename);
  const source = bytes[Symbol.asyncIterator]();
  const sample = await readSample(source);
  const encoding = await streamEncoding(sample, contentType);
  if (!encoding) {
    throw unsupported(name, "binary data, or text in an encoding that is only read in small files");
  }
  const { decoder, metadata, warnings } = encoding;
  yield { document: { docType: "text", title: undefined, metadata, warnings, tags: [] } };
  const segments = new Segments({ chunk, maxTextChars, name });
  let text = decoder.decode(sample, { stream: true });
  for (let isDone = false; !isDone;) {
    const next = await source.next();
    isDone = next.done === true;
    text += isDone ? decoder.decode() : decoder.decode(next.value, { stream: true });
    while (text.length > segmentChars || isDone && text !== "") {
      const end = text.length <= segmentChars ? text.length : segmentEnd(text, segmentChars);
      yield { chunks: segments.chunks(text.slice(0, end)) };
      text = text.slice(end);
    }
  }
  if (segments.isBlank) throw noText(name, "it holds only white space", "upload a file with words in it");
}

/** Chunks consecutive parts of a text. */
class Segments {
  readonly #options: { readonly chunk: ChunkOptions; readonly maxTextChars: number; readonly name: string };
  #chars = 0;
  #lines = 0;
  #isBlank = true;

  constructor(
    options: { readonly chunk: ChunkOptions; readonly maxTextChars: number; readonly name: string },
  ) {
    this.#options = options;
  }

  /** Whether all parts so far consist of white space. */
  get isBlank(): boolean {
    return this.#isBlank;
  }

  /** Returns the chunks of the next part, with offsets and lines of the whole text. */
  chunks(part: string): ChunkDraft[] {
    const { chunk, maxTextChars, name } = this.#options;
    const text = normalizeText(part);
    const [chars, lines] = [this.#chars, this.#lines];
    this.#chars += text.length;
    if (this.#chars > maxTextChars) throw tooLongText(name, maxTextChars);
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#lines++;
    if (text.trim() === "") return [];
    this.#isBlank = false;
    return chunkText({ text, markup: "plain", pageStarts: undefined }, chunk).map((each) => ({
      ...each,
      charStart: each.charStart + chars,
      charEnd: each.charEnd + chars,
      lineStart: each.lineStart + lines,
      lineEnd: each.lineEnd + lines,
    }));
  }
}

async function readSample(source: AsyncIterator<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; length < SAMPLE_BYTES;) {
    const { value, done } = await source.next();
    if (done) break;
    parts.push(value);
    length += value.byteLength;
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Returns where a segment ends: after the last empty line in its second half, or line, or character. */
function segmentEnd(text: string, maxChars: number): number {
  for (const boundary of ["\n\n", "\n\r\n", "\n", "\r", " "]) {
    const at = text.lastIndexOf(boundary, maxChars - boundary.length);
    // "\r" and "\n" of one line end belong together.
    if (at >= maxChars / 2) {
      return at + boundary.length + (boundary === "\r" && text[at + 1] === "\n" ? 1 : 0);
    }
  }
  return /[\udc00-\udfff]/.test(text[maxChars] ?? "") ? maxChars - 1 : maxChars;
}
