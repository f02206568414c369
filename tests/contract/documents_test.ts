import { assertEquals } from "@std/assert";
import { DocumentEdit } from "../../src/contract/mod.ts";

/** Metadata with a number of objects and lists within each other. */
function nested(levels: number): Record<string, unknown> {
  let value: unknown = [];
  for (let level = 3; level <= levels; level++) value = level % 2 ? { a: value } : [value];
  return { field: value };
}

Deno.test("the metadata of an edit has at most 32 levels of nesting", () => {
  for (const levels of [2, 3, 32]) {
    const edit = { metadata: nested(levels) };
    assertEquals(DocumentEdit.parse(edit), edit);
  }
  // The last one is too deep for a message to another thread.
  for (const levels of [33, 10_000]) {
    const { error } = DocumentEdit.safeParse({ metadata: nested(levels) });
    assertEquals(error?.issues.map(({ message }) => message), ["must have at most 32 levels of nesting"]);
  }
});
