import { assert, assertEquals } from "@std/assert";
import { editDistance, singleEdits } from "../../src/text/mod.ts";
import { seededRandom } from "../support/random.ts";

const LETTERS = ["a", "b", "c"];

/** Returns all words of at most `length` letters. */
function wordsUpTo(length: number): string[] {
  if (length === 0) return [""];
  const shorter = wordsUpTo(length - 1);
  return [...new Set(shorter.flatMap((word) => [word, ...LETTERS.map((letter) => word + letter)]))];
}

Deno.test("single edits are exactly the words at edit distance 1", () => {
  const all = wordsUpTo(6);
  const { pick } = seededRandom(11);
  for (let n = 0; n < 30; n++) {
    const word = pick(wordsUpTo(5));
    const expected = all.filter((other) => editDistance([...word], [...other], 1) === 1);
    assertEquals(singleEdits(word, LETTERS).sort(), expected.sort(), word);
  }
});

Deno.test("a range limits the position of the edit", () => {
  const edits = singleEdits("abcabc", LETTERS, { start: 2 });
  assert(edits.every((edit) => edit.startsWith("ab")));
  const all = new Set([...edits, ...singleEdits("abcabc", LETTERS, { end: 2 })]);
  assertEquals([...all].sort(), singleEdits("abcabc", LETTERS).sort());
});

Deno.test("an edit never splits a character", () => {
  assert(singleEdits("𠮷野", ["家"]).every((edit) => edit.isWellFormed()));
});
