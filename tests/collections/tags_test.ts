import { assertEquals, assertThrows } from "@std/assert";
import {
  checkCallerTags,
  collectionChange,
  CollectionError,
  collectionTag,
  splitTags,
} from "../../src/collections/mod.ts";

Deno.test("a collection is a tag with a prefix", () => {
  assertEquals(collectionTag("memory"), "collection:memory");
});

Deno.test("a caller's tags are trimmed and deduplicated, in their order", () => {
  assertEquals(checkCallerTags([" email", "feedback", "email ", "Email"]), ["email", "feedback", "Email"]);
  assertEquals(checkCallerTags([]), []);
});

for (const tag of ["collection:memory", "Collection:memory", "  COLLECTION:memory  ", "collection:"]) {
  Deno.test(`the tag ${JSON.stringify(tag)} is rejected, and the error names the collection parameter`, () => {
    assertThrows(
      () => checkCallerTags(["email", tag]),
      CollectionError,
      "use the `collection` parameter instead",
    );
  });
}

Deno.test("the error of a collection tag shows the argument to send instead", () => {
  assertThrows(() => checkCallerTags(["collection:memory"]), CollectionError, '{"collection":"memory"}');
});

Deno.test("a tag that resembles a collection tag is an ordinary tag", () => {
  for (const tag of ["collections:memory", "collection", "my-collection:memory"]) {
    assertEquals(checkCallerTags([tag]), [tag]);
    assertEquals(splitTags([tag]), { collection: null, tags: [tag] });
    assertEquals(collectionChange([tag], null), undefined);
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
  Deno.test(`${JSON.stringify(tags)} splits into collection ${collection} and tags ${JSON.stringify(rest)}`, () => {
    assertEquals(splitTags(tags), { collection, tags: rest });
  });
}

type Move = [tags: string[], target: string | null, change: { remove: string[]; add: string[] } | undefined];
const MEMORY = "collection:memory";
const MOVES: Move[] = [
  [["collection:documents", "a"], "memory", { remove: ["collection:documents"], add: [MEMORY] }],
  [["a"], "memory", { remove: [], add: [MEMORY] }],
  [[MEMORY, "a"], "memory", undefined],
  // The target is in `add`, or `remove_prefix` would remove it.
  [[MEMORY, "collection:documents"], "memory", { remove: ["collection:documents"], add: [MEMORY] }],
  [["collection:a", "collection:b", "collection:a"], "memory", {
    remove: ["collection:a", "collection:b"],
    add: [MEMORY],
  }],
  // Removed with the engine's spelling, or the engine would not find it.
  [["Collection:Memory"], "memory", { remove: ["Collection:Memory"], add: [MEMORY] }],
  [[MEMORY, "a"], null, { remove: [MEMORY], add: [] }],
  [["a"], null, undefined],
];
for (const [tags, target, change] of MOVES) {
  Deno.test(`moving ${JSON.stringify(tags)} to ${target} is ${JSON.stringify(change) ?? "no change"}`, () => {
    assertEquals(collectionChange(tags, target), change && { ...change, remove_prefix: "collection:" });
  });
}
