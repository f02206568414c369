import { assert, assertEquals, assertMatch } from "@std/assert";
import { formatPath, formatValue, quoteText } from "../../src/text/mod.ts";
import { seededRandom } from "../support/random.ts";

/** Bidirectional, zero-width, tag, C0, C1, filler and separator characters, and unpaired surrogates. */
const HIDDEN = [
  ..."\u202e\u2066\u200b\u200d\u{e0068}\u{e0100}\u0000\u001b\u0085\u009b\u3164\u115f\u00ad\ufeff\u2028\ufff9\u00a0",
  "\ud800",
  "\udc00",
];
const VISIBLE = [...'az 09é"\\/漢👩…'];
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0]/u;

for (const character of HIDDEN) {
  const code = character.codePointAt(0)!.toString(16);
  Deno.test(`quoteText and formatValue show U+${code.toUpperCase()} as an escape`, () => {
    for (
      const quoted of [quoteText(`a${character}b`), formatValue(`a${character}b`), formatValue([character])]
    ) {
      assertMatch(quoted, /\\u[0-9a-f]{4}|\\[bfnrt]/);
      assert(!INVISIBLE.test(quoted), quoted);
    }
    assert(!INVISIBLE.test(formatPath(["meta", `a${character}b`])));
  });
}

Deno.test("quoteText is the JSON of a short text, and bounded for any text", () => {
  const random = seededRandom(1);
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from({ length: random.int(30) }, () => random.pick(random.pick([HIDDEN, VISIBLE])))
      .join("");
    assertEquals(JSON.parse(quoteText(text)), text);
    const cut = quoteText(text, 10);
    assert(!INVISIBLE.test(cut), cut);
    assert(cut.length <= 2 + 6 * 11, cut);
    assert(text.length <= 10 || cut.endsWith('…"'), cut);
  }
});

Deno.test("quoteText does not cut a surrogate pair", () => {
  assertEquals(quoteText("ab👩cd", 3), '"ab…"');
});

Deno.test("formatValue reads only the start of a long value", () => {
  let reads = 0;
  const items = Array.from({ length: 1_000 }, () => ({
    toJSON() {
      reads++;
      return "x";
    },
  }));
  assertEquals(formatValue(items), "a list of 1000 items");
  assertEquals(formatValue({ items }), "an object");
  assert(reads < 200, `${reads} items were read`);
});
