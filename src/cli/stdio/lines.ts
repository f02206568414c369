/** A line of input, or a line that is longer than the limit, which is skipped. */
export type InputLine = { readonly text: string } | { readonly isTooLong: true };

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
  let isTooLong = false;
  const add = (part: Uint8Array) => {
    length += part.length;
    isTooLong ||= length > maxBytes;
    if (isTooLong) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): InputLine | undefined => {
    const line = isTooLong ? { isTooLong } : textLine(parts);
    parts = [];
    length = 0;
    isTooLong = false;
    return line;
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

function textLine(parts: readonly Uint8Array[]): InputLine | undefined {
  const decoder = new TextDecoder();
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
  return text.trim() === "" ? undefined : { text };
}
