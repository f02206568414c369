import { assertEquals } from "@std/assert";
import { Tag } from "../../../src/contract/mod.ts";
import { isTag } from "../../../src/contract/rules/mod.ts";

Deno.test("isTag accepts what the schema of tags accepts", () => {
  const tags = ["a", "two words", "collection:notes", "漢字", "😀", "x".repeat(200)];
  const others = ["", " ", " a", "a ", "a\nb", "a\u0000", "\u007f", "\u00a0a", "x".repeat(201)];
  for (const text of tags) assertEquals([isTag(text), Tag.safeParse(text).success], [true, true], text);
  for (const text of others) assertEquals([isTag(text), Tag.safeParse(text).success], [false, false], text);
});
