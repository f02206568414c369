import { isRequestId, type RequestId } from "../../mcp/mod.ts";

/** Number of bytes at the start and at the end of a message that is not kept in which its id is looked for. */
export const ID_SEARCH_BYTES = 4096;

/** Maximum length of an id with the characters around it. */
const MAX_VALUE_CHARS = 2048;

/**
 * Finds the id of a message that is not valid JSON, or of which only the start and the end are known: without it in the
 * error, a client waits for its timeout.
 *
 * @param text The message, or its start.
 * @param end The end of the message.
 *
 * @example
 * ```ts
 * import { findId } from "./find_id.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(findId('{"method":"tools/call","params":{"x":NaN},"id":7}'), 7);
 * ```
 */
export function findId(text: string, end = text.slice(-ID_SEARCH_BYTES)): RequestId | undefined {
  return idByKeys(text) ?? idAtEnd(end);
}

/** Finds the key `id` of the outermost object, by strings and brackets alone. Takes linear time. */
function idByKeys(text: string): RequestId | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const symbol = text.charAt(index);
    if (symbol === "{" || symbol === "[") depth++;
    else if (symbol === "}" || symbol === "]") depth--;
    if (symbol !== '"') continue;
    const end = stringEnd(text, index);
    if (depth === 1 && text.slice(index, end) === '"id"' && /^\s*:/.test(text.slice(end, end + 10))) {
      return idAfter(text, end);
    }
    index = end - 1;
  }
  return undefined;
}

/** Returns the offset after the string that starts at an offset; the end of the text if it is not closed. */
function stringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const symbol = text.charAt(index);
    if (symbol === "\\") index++;
    else if (symbol === '"') return index + 1;
  }
  return text.length;
}

/** Returns the id after a colon, which a comma or the end of the object must follow. */
function idAfter(text: string, start: number): RequestId | undefined {
  const value = text.slice(start, start + MAX_VALUE_CHARS);
  return parseId(/^\s*:\s*(-?\d{1,16}|"[^"\\]*")\s*[,}]/.exec(value)?.[1]);
}

/** Finds an id that is the last value of a message: many clients write it there. */
function idAtEnd(end: string): RequestId | undefined {
  const start = end.lastIndexOf('"id"');
  if (start < 0) return undefined;
  return parseId(/^"id"\s*:\s*(-?\d{1,16}|"[^"\\]*")\s*\}\s*$/.exec(end.slice(start))?.[1]);
}

function parseId(json: string | undefined): RequestId | undefined {
  if (json === undefined) return undefined;
  try {
    const id: unknown = JSON.parse(json);
    return isRequestId(id) ? id : undefined;
  } catch {
    // Not valid JSON either.
    return undefined;
  }
}
