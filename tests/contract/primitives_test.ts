import { assertEquals, assertStringIncludes } from "@std/assert";
import { Id, NoteText, SourcePath, Tag, Title } from "../../src/contract/mod.ts";

const UNPRINTABLE = ["a\u0000b", "a\u001bb", "a\nb", "a\tb", "a\u007fb", "a\ud800b", "a\udc00"];

for (const [name, schema] of Object.entries({ Title, SourcePath, Tag })) {
  Deno.test(`${name} rejects control characters and unpaired surrogates`, () => {
    for (const text of UNPRINTABLE) {
      const { error } = schema.safeParse(text);
      assertStringIncludes(String(error?.issues[0]?.message), "must have no control characters");
    }
  });

  Deno.test(`${name} rejects blank text`, () => {
    for (const text of ["", " ", "\u00a0\u3000"]) assertEquals(schema.safeParse(text).success, false);
  });

  Deno.test(`${name} accepts any script, and surrogate pairs`, () => {
    for (const text of ["notes/Müller – 漢字.md", "😀", "a b"]) assertEquals(schema.parse(text), text);
  });
}

Deno.test("the text of a note may have control characters", () => {
  for (const text of UNPRINTABLE) assertEquals(NoteText.parse(text), text);
});

Deno.test("an id is a non-negative integer or well-formed text", () => {
  for (const id of [0, 7, "7", "a/b", "漢", "😀", "..", "x".repeat(200)]) assertEquals(Id.parse(id), id);
  for (const id of [-1, 1.5, "", "\ud800", "a\udc00", "x".repeat(201), null, {}]) {
    assertEquals(Id.safeParse(id).success, false, JSON.stringify(id));
  }
});
