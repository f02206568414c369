import { assertEquals } from "@std/assert";
import { retryAfterMs } from "../../src/web/mod.ts";

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);
const CASES: [value: string, ms: number | undefined][] = [
  ["0", 0],
  [" 120 ", 120_000],
  // The three formats of RFC 9110 §5.6.7.
  ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
  ["Sun Nov  6 08:49:37 1994", 37_000],
  ["Sun, 06 Nov 1994 08:48:00 GMT", 0],
  ["", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["9999999999", undefined],
  ["soon", undefined],
  ["Sun, soon", undefined],
  ["2026", 2_026_000],
  ["1994-11-06T08:50:00Z", undefined],
];
for (const [value, ms] of CASES) {
  Deno.test(`Retry-After ${JSON.stringify(value)} is ${ms} ms`, () => {
    assertEquals(retryAfterMs(new Headers({ "retry-after": value }), NOW), ms);
  });
}

Deno.test("a response without Retry-After requests no delay", () => {
  assertEquals(retryAfterMs(new Headers()), undefined);
});
