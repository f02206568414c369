import { ID_SEARCH_BYTES } from "./find_id.ts";

/** A line that is longer than the limit, which is skipped: its start and its end, which may hold an id. */
export interface LongLine {
  readonly start: string;
  readonly end: string;
}

/** A line of input. */
export type InputLine = { readonly text: string } | LongLine;

const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines of UTF-8 without blank ones. Memory is bounded by the limit and the size of a chunk.
 *
 * @param options.maxBytes Maximum length of a line.
 *
 * @example
 * ```ts
 * import { readLines } from "./lines.ts";
 * import { assertEquals } from "@std/assert";
 * const input = new Blob(["{}\n\n[1]\n"]).stream();
 * const lines = await Array.fromAsync(readLines(input, { maxBytes: 100 }));
 * assertEquals(lines, [{ text: "{}" }, { text: "[1]" }]);
 * ```
 */
export async function* readLines(
  input: ReadableStream<Uint8Array>,
  { maxBytes }: { maxBytes: number },
): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let longStart: string | undefined;
  const add = (part: Uint8Array) => {
    if (part.length === 0) return;
    length += part.length;
    parts.push(part);
    if (length <= maxBytes) return;
    longStart ??= joinText(parts).slice(0, ID_SEARCH_BYTES);
    parts = lastParts(parts);
  };
  const take = (): InputLine | undefined => {
    const text = joinText(parts);
    const line = longStart === undefined ? { text } : { start: longStart, end: text };
    parts = [];
    length = 0;
    longStart = undefined;
    return "end" in line || text.trim() !== "" ? line : undefined;
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end; (end = chunk.indexOf(LINE_FEED, start)) !== -1; start = end + 1) {
      add(chunk.subarray(start, end));
      const line = take();
      if (line) yield line;
    }
    add(chunk.subarray(start));
  }
  // A client that ends without a line feed has sent a whole message all the same.
  const last = take();
  if (last) yield last;
}

function joinText(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

/** Returns the last parts that hold enough bytes for an id, cut to them. */
function lastParts(parts: readonly Uint8Array[]): Uint8Array[] {
  const last: Uint8Array[] = [];
  let missing = ID_SEARCH_BYTES;
  for (let index = parts.length - 1; index >= 0 && missing > 0; index--) {
    const part = parts[index]!.slice(-missing);
    missing -= part.length;
    last.unshift(part);
  }
  return last;
}
