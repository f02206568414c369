import { EngineError } from "./errors.ts";

/**
 * Returns the result of a call about a document, or undefined if it does not exist, or no longer.
 *
 * @throws Every other error of the call.
 *
 * @example
 * ```ts
 * import { EngineError } from "./errors.ts";
 * import { ifFound } from "./if_found.ts";
 * import { assertEquals } from "@std/assert";
 * const missing = Promise.reject(new EngineError("not_found", "There is no document 7"));
 * assertEquals(await ifFound(missing), undefined);
 * ```
 */
export async function ifFound<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof EngineError && error.code === "not_found") return undefined;
    throw error;
  }
}
