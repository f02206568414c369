import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CollectionError, Collections, DEFAULT_COLLECTION } from "../../src/collections/mod.ts";

const known = new Collections(["recipes", "memory"]);

Deno.test("collections are the built-in ones, then the operator's, without repeats", () => {
  assertEquals(known.names, ["documents", "memory", "workspace", "recipes"]);
  assertEquals(new Collections().names, ["documents", "memory", "workspace"]);
  assertEquals(DEFAULT_COLLECTION, "documents");
});

Deno.test("a known collection passes", () => {
  for (const name of known.names) assertEquals(known.check(name), name);
});

Deno.test("an unknown collection is refused with the known ones, the nearest, and who can add one", () => {
  const { message } = assertThrows(() => known.check("memroy"), CollectionError);
  assertEquals(
    message,
    'Unknown collection "memroy". Did you mean "memory"? Known collections: documents, memory, workspace, recipes; ' +
      "an operator can add one with KB_COLLECTIONS.",
  );
});

const MEANT: [typed: string, meant: string | null][] = [
  ["memeory", "memory"], // one letter too many
  ["memry", "memory"], // one too few
  ["mrmory", "memory"], // one wrong
  ["memroy", "memory"], // two swapped
  ["Memory", "memory"],
  [" memory ", "memory"],
  ["document", "documents"],
  ["docmuents", "documents"],
  ["dcouemnts", "documents"],
  ["workspaces", "workspace"],
  ["recipe", "recipes"],
  ["m", null],
  ["mem", null],
  ["photos", null],
  ["", null],
  ["x".repeat(100_000), null],
];
for (const [typed, meant] of MEANT) {
  Deno.test(`${JSON.stringify(typed.slice(0, 20))} is taken for ${meant ?? "nothing known"}`, () => {
    const { message } = assertThrows(() => known.check(typed), CollectionError);
    if (meant === null) assertEquals(message.includes("Did you mean"), false);
    else assertStringIncludes(message, `Did you mean "${meant}"?`);
  });
}

Deno.test("two swapped letters are one mistake, not two", () => {
  // Three-letter names allow one mistake; as two replacements the swap would be beyond it.
  assertThrows(() => new Collections(["abc"]).check("acb"), CollectionError, 'Did you mean "abc"?');
});

Deno.test("a very long name is not repeated in full, and a name cannot break out of its quotes", () => {
  const { message } = assertThrows(() => known.check('"\n' + "é".repeat(5000)), CollectionError);
  assertEquals(message.length < 300, true);
  assertStringIncludes(message, 'Unknown collection "\\"\\né');
});
