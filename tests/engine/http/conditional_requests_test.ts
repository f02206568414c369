import { assertEquals, assertThrows } from "@std/assert";
import { matchesNone, parseIfMatch } from "../../../src/engine/http/conditional_requests.ts";
import { HttpError } from "../../../src/engine/http/errors.ts";

const CONDITIONS: readonly [header: string | null, versions: readonly number[] | undefined][] = [
  [null, undefined],
  ["*", undefined],
  [" * ", undefined],
  ['"3"', [3]],
  ['"3","4"', [3, 4]],
  ['"3", "4"', [3, 4]],
  ['"3" ,\t"4" , ', [3, 4]],
  [', ,"3",, "4"', [3, 4]],
  // A comma and a backslash are characters of a tag (RFC 9110 §8.8.3).
  ['"a,b\\", "5"', [5]],
  // A weak tag never matches (RFC 9110 §13.1.1).
  ['W/"3"', []],
  ['W/"3", "4"', [4]],
  ['""', []],
  ['"03"', []],
  ['"3.0"', []],
  ['"-1"', []],
  ['"1e3"', []],
  ['"9999999999999999"', []],
  ['"x\u00e9"', []],
];

for (const [header, versions] of CONDITIONS) {
  Deno.test(`If-Match ${header} is for ${versions ? `the versions [${versions}]` : "any version"}`, () => {
    assertEquals(parseIfMatch(header), versions);
  });
}

for (
  const header of [
    "",
    " ",
    ",",
    "3",
    '"3',
    '3"',
    '"3" "4"',
    '"3";"4"',
    'w/"3"',
    "W/3",
    '*, "3"',
    '"a b"',
    '"\u0007"',
  ]
) {
  Deno.test(`If-Match ${JSON.stringify(header)} is malformed`, () => {
    const error = assertThrows(() => parseIfMatch(header), HttpError);
    assertEquals([error.code, error.message.startsWith("If-Match must be *, or entity tags")], [
      "invalid",
      true,
    ]);
  });
}

for (
  const [header, expected] of [
    [null, false],
    ["*", true],
    ['"3"', true],
    ['W/"3"', true],
    ['"2", "3"', true],
    ['"2"', false],
  ] as const
) {
  Deno.test(`If-None-Match ${header} ${expected ? "has" : "does not have"} version 3`, () => {
    assertEquals(matchesNone(header, '"3"'), expected);
  });
}

Deno.test("a long list of tags is parsed in linear time", () => {
  assertEquals(parseIfMatch('"1",'.repeat(2000))?.length, 2000);
  assertThrows(() => parseIfMatch(`"1"${" ,".repeat(20_000)}x`), HttpError);
});
