import { assertEquals, assertThrows } from "@std/assert";
import {
  checkCallerTags,
  CollectionError,
  collectionTag,
  movePlan,
  splitTags,
} from "../../src/collections/mod.ts";

Deno.test("a collection is a tag with a prefix", () => {
  assertEquals(collectionTag("memory"), "collection:memory");
});

Deno.test("a caller's tags are trimmed and kept once, in their order", () => {
  assertEquals(checkCallerTags([" email", "feedback", "email ", "Email"]), ["email", "feedback", "Email"]);
  assertEquals(checkCallerTags([]), []);
});

for (const tag of ["collection:memory", "Collection:memory", "  COLLECTION:memory  ", "collection:"]) {
  Deno.test(`the tag ${JSON.stringify(tag)} is refused and the collection parameter named`, () => {
    assertThrows(
      () => checkCallerTags(["email", tag]),
      CollectionError,
      "use the `collection` parameter instead",
    );
  });
}

Deno.test("the refusal of a collection tag shows the argument to send instead", () => {
  assertThrows(() => checkCallerTags(["collection:memory"]), CollectionError, '{"collection":"memory"}');
});

Deno.test("a tag that only looks like a collection is an ordinary tag", () => {
  for (const tag of ["collections:memory", "collection", "my-collection:memory"]) {
    assertEquals(checkCallerTags([tag]), [tag]);
    assertEquals(splitTags([tag]), { collection: null, tags: [tag] });
    assertEquals(movePlan([tag], null), { remove: [], add: [] });
  }
});

const SPLITS: [tags: string[], collection: string | null, rest: string[]][] = [
  [["collection:memory", "feedback", "email"], "memory", ["feedback", "email"]],
  [["feedback", "collection:memory"], "memory", ["feedback"]],
  [["a", "collection:work", "b", "collection:memory"], "work", ["a", "b"]],
  [["Collection:memory"], "memory", []],
  [["collection:"], null, []],
  [["a"], null, ["a"]],
  [[], null, []],
];
for (const [tags, collection, rest] of SPLITS) {
  Deno.test(`${JSON.stringify(tags)} shows collection ${collection} and tags ${JSON.stringify(rest)}`, () => {
    assertEquals(splitTags(tags), { collection, tags: rest });
  });
}

const MOVES: [tags: string[], target: string | null, remove: string[], add: string[]][] = [
  [["collection:documents", "a"], "memory", ["collection:documents"], ["collection:memory"]],
  [["a"], "memory", [], ["collection:memory"]],
  [["collection:memory", "a"], "memory", [], []],
  [["collection:memory", "collection:documents"], "memory", ["collection:documents"], []],
  [["collection:a", "collection:b", "collection:a"], "memory", ["collection:a", "collection:b"], [
    "collection:memory",
  ]],
  // Spelled as the engine holds it, or the engine would not find it.
  [["Collection:Memory"], "memory", ["Collection:Memory"], ["collection:memory"]],
  [["collection:memory", "a"], null, ["collection:memory"], []],
  [["a"], null, [], []],
];
for (const [tags, target, remove, add] of MOVES) {
  Deno.test(`moving ${JSON.stringify(tags)} to ${target} removes ${remove} and adds ${add}`, () => {
    assertEquals(movePlan(tags, target), { remove, add });
  });
}
