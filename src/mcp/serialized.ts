/** Where a result carries its own JSON text. `JSON.stringify` passes symbols over; a WeakMap costs the collector. */
const JSON_TEXT = Symbol("JSON text");

interface Serialized {
  [JSON_TEXT]?: string | undefined;
}

/**
 * Gives a result object its JSON text, to be sent instead of serialising it: for one that is answered again and
 * again, and for one whose parts were serialised already.
 */
export function serialized<Result extends object>(result: Result, json: string | undefined): Result {
  (result as Serialized)[JSON_TEXT] = json;
  return result;
}

/** The JSON text that a result was given. */
export function jsonOf(result: unknown): string | undefined {
  return result === undefined ? undefined : (result as Serialized)[JSON_TEXT];
}
