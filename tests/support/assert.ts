/**
 * Stand-in for `@std/assert`, based on `node:assert/strict`: the functions that our tests use.
 *
 * @module
 */
import strict, { AssertionError } from "node:assert/strict";

export { AssertionError };

/** Fails unless `expr` is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) {
    throw new AssertionError({ message: msg || "Expected a truthy value", actual: expr, operator: "assert" });
  }
}

/** Fails unless the values are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  // Only values are compared: prototypes differ between rows of node:sqlite, parsed JSON and literals.
  strict.deepEqual(plain(actual), plain(expected), msg);
}

/** Fails if the values are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  strict.notDeepEqual(plain(actual), plain(expected), msg);
}

/** Fails unless `actual` contains `expected`. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  assert(
    actual.includes(expected),
    msg ?? `Expected ${JSON.stringify(actual)} to contain ${JSON.stringify(expected)}`,
  );
}

/** Fails unless `actual` matches `expected`. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  strict.match(actual, expected, msg);
}

/** Fails if `actual` is null or undefined. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  assert(actual !== null && actual !== undefined, msg ?? `Expected a value, got ${actual}`);
}

/** Fails unless `actual` is an instance of `expectedType`. */
// deno-lint-ignore no-explicit-any
export function assertInstanceOf<T extends abstract new (...args: any[]) => any>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T> {
  assert(
    actual instanceof expectedType,
    msg ?? `Expected an instance of ${expectedType.name}, got ${String(actual)}`,
  );
}

/** Fails unless `fn` throws; returns the error. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  // deno-lint-ignore no-explicit-any
  ErrorClass?: abstract new (...args: any[]) => E,
  msgIncludes = "",
): E {
  try {
    fn();
  } catch (error) {
    return checkThrown(error, ErrorClass, msgIncludes);
  }
  throw new AssertionError({ message: "Expected the function to throw" });
}

/** Fails unless `fn` rejects; resolves to the error. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  // deno-lint-ignore no-explicit-any
  ErrorClass?: abstract new (...args: any[]) => E,
  msgIncludes = "",
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return checkThrown(error, ErrorClass, msgIncludes);
  }
  throw new AssertionError({ message: "Expected the promise to reject" });
}

function checkThrown<E extends Error>(
  error: unknown,
  // deno-lint-ignore no-explicit-any
  ErrorClass: (abstract new (...args: any[]) => E) | undefined,
  msgIncludes: string,
): E {
  assertInstanceOf(error, ErrorClass ?? Error);
  assertStringIncludes((error as Error).message, msgIncludes);
  return error as E;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object" || value instanceof Error) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
