import { assertEquals } from "@std/assert";
import { normalizeForSearch } from "../../src/analysis/normalize.ts";
import { parseNote } from "../../src/engine/sqlite/store/notes.ts";
import { noteSource } from "../../src/engine/sqlite/store/note_source.ts";
import { frontMatterTags } from "../../src/extraction/front_matter.ts";
import { normalizeText } from "../../src/extraction/normalize.ts";
import { normalizeUnicode } from "../../src/text/normalize_unicode.ts";

/** Returns marks of two classes in the wrong order, which an insertion sort needs quadratic time for. */
const marks = (times: number) => "\u0301".repeat(times) + "\u0323".repeat(times);
/** Returns the length of the longest run of marks. */
const longest = (text: string) =>
  Math.max(0, ...(text.match(/[\p{M}\uff9e\uff9f]+/gu) ?? []).map((run) => run.length));

Deno.test("normalizeUnicode equals normalize for text with at most 30 marks in a row", () => {
  for (
    const text of ["ascii", "cafe\u0301", "ka\u0323\u0301", "ﾊﾞﾋﾟ", "q" + marks(15), "한국", "ﬁ Å", "\ud800"]
  ) {
    for (const form of ["NFC", "NFKD"] as const) {
      assertEquals(normalizeUnicode(text, form), text.normalize(form));
    }
  }
});

Deno.test("every normalization cuts runs of marks to 30", () => {
  const text = `q${marks(2_000)} z${marks(2_000)}`;
  assertEquals(longest(normalizeUnicode(text, "NFC")), 30);
  assertEquals(longest(normalizeText(text)), 30);
  assertEquals(longest(parseNote(noteSource(text)).text), 30);
  assertEquals(frontMatterTags({ tags: [`q${"\u0301".repeat(40)}`] }).map(longest), [30]);
});

Deno.test("half-width letters that NFKD converts to marks count as marks", () => {
  assertEquals(longest(normalizeUnicode("q" + "\uff9e\u0323".repeat(2_000), "NFKD")), 30);
});

Deno.test("removing invisible characters between marks does not create a longer run", () => {
  const found = normalizeForSearch("ก" + "\u0e38\u0e48\u200d".repeat(2_000));
  assertEquals(found.match(/\p{M}/gu)?.length, 30);
});
