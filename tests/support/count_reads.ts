/** Methods that read a single code unit or code point. */
const SINGLE = ["at", "charAt", "charCodeAt", "codePointAt"];
/** Methods that read their result only. */
const SLICING = ["slice", "substring"];
/** Methods that read up to the match. */
const SEARCHING = ["indexOf", "includes"];
/** Methods that may read the whole string. */
const WHOLE = [
  "lastIndexOf",
  "match",
  "normalize",
  "replace",
  "replaceAll",
  "split",
  "toWellFormed",
  "trim",
  "trimEnd",
  "trimStart",
];

/**
 * Counts the characters that `run` reads through methods of `String` and `RegExp`. Throws as soon as there
 * are more than `limit`, so that quadratic code fails at once instead of running for minutes.
 *
 * Replaces methods of the prototypes while `run` executes: only for synchronous code.
 */
export function countReads(run: () => void, limit = Infinity): number {
  let reads = 0;
  const add = (count: number) => {
    reads += count;
    if (reads > limit) throw new RangeError(`must read at most ${limit} characters`);
  };
  using restore = new DisposableStack();
  // deno-lint-ignore no-explicit-any -- replaces methods of every signature
  const wrap = (prototype: any, name: string, count: (self: any, args: any[], result: any) => number) => {
    const original = prototype[name];
    // deno-lint-ignore no-explicit-any
    prototype[name] = function (...args: any[]) {
      const before = this instanceof RegExp && (this.global || this.sticky) ? this.lastIndex : 0;
      const result = original.apply(this, args);
      add(count(this, [...args, before], result));
      return result;
    };
    restore.defer(() => prototype[name] = original);
  };
  for (const name of SINGLE) wrap(String.prototype, name, () => 1);
  for (const name of SLICING) wrap(String.prototype, name, (_, __, result) => result.length);
  for (const name of SEARCHING) {
    wrap(String.prototype, name, (self, [needle, from = 0]) => {
      const found = indexOf.call(self, needle, from);
      return (found < 0 ? self.length : found + 1) - Math.min(from, self.length);
    });
  }
  for (const name of WHOLE) wrap(String.prototype, name, (self) => self.length);
  for (const name of ["exec", "test"]) {
    wrap(RegExp.prototype, name, (self, [text, before]) => {
      const stateful = self.global || self.sticky;
      return (stateful && self.lastIndex > 0 ? self.lastIndex : text.length) - before;
    });
  }
  run();
  return reads;
}

const { indexOf } = String.prototype;
