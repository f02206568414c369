import { JSONParser } from "@streamparser/json";
import { ImportError } from "./import_items.ts";

/** Maximum size of an item in bytes of JSON. */
const MAX_ITEM_BYTES = 256 * 2 ** 20;

/**
 * Parses the items of a JSON array while it is read. Memory is limited by the largest item.
 *
 * @param path Path of the items: `$.*` for an array at the top.
 * @throws {ImportError} For malformed JSON, or an item that is too large.
 *
 * @example
 * ```ts
 * import { jsonItems } from "./json_items.ts";
 * import { assertEquals } from "@std/assert";
 * const chunks = ReadableStream.from(["[{\"a\": 1}, {", "\"a\": 2}]"].map((text) => new TextEncoder().encode(text)));
 * assertEquals(await Array.fromAsync(jsonItems(chunks)), [{ a: 1 }, { a: 2 }]);
 * ```
 */
export async function* jsonItems(chunks: AsyncIterable<Uint8Array>, path = "$.*"): AsyncGenerator<unknown> {
  const items: unknown[] = [];
  let sinceItem = 0;
  let failure: Error | undefined;
  const parser = new JSONParser({ paths: [path], keepStack: false });
  parser.onValue = ({ value }) => {
    items.push(value);
    sinceItem = 0;
  };
  parser.onError = (error) => {
    failure ??= error;
  };
  for await (const chunk of chunks) {
    sinceItem += chunk.byteLength;
    if (sinceItem > MAX_ITEM_BYTES) {
      throw new ImportError(`An item of the JSON must have at most ${MAX_ITEM_BYTES / 2 ** 20} MiB`);
    }
    if (!parser.isEnded) write(parser, chunk);
    yield* items.splice(0);
    if (failure) throw malformed(failure);
  }
  if (!parser.isEnded) throw malformed(new Error("it ends early"));
}

function write(parser: JSONParser, chunk: Uint8Array): void {
  try {
    parser.write(chunk);
  } catch (error) {
    throw malformed(error as Error);
  }
}

function malformed(cause: Error): ImportError {
  return new ImportError(`The file must be valid JSON: ${cause.message}`, { cause });
}
