import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { CollectionError, Collections, DEFAULT_COLLECTION } from "../../src/collections/mod.ts";

const known = new Collections(["recipes", "memory"]);

Deno.test("collections are the built-in ones, then the operator's, without duplicates", () => {
  assertEquals(known.names, ["documents", "memory", "workspace", "recipes"]);
  assertEquals(new Collections().names, ["documents", "memory", "workspace"]);
  assertEquals(DEFAULT_COLLECTION, "documents");
});

Deno.test("a known collection is accepted", () => {
  for (const name of known.names) assertEquals(known.check(name), name);
});

Deno.test("the error of an unknown collection suggests the closest, lists all, and says how to add one", () => {
  const { message } = assertThrows(() => known.check("memroy"), CollectionError);
  assertEquals(
    message,
    'Unknown collection "memroy". Did you mean "memory"? Known collections: documents, memory, workspace, recipes; ' +
      "an operator can add one with KB_COLLECTIONS.",
  );
});

const SUGGESTIONS: [typed: string, suggestion: string | null][] = [
  ["memeory", "memory"], // insertion
  ["memry", "memory"], // deletion
  ["mrmory", "memory"], // substitution
  ["memroy", "memory"], // transposition
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
for (const [typed, suggestion] of SUGGESTIONS) {
  Deno.test(`${JSON.stringify(typed.slice(0, 20))} suggests ${suggestion ?? "nothing"}`, () => {
    const { message } = assertThrows(() => known.check(typed), CollectionError);
    if (suggestion === null) assertEquals(message.includes("Did you mean"), false);
    else assertStringIncludes(message, `Did you mean "${suggestion}"?`);
  });
}

Deno.test("a transposition is one edit, not two", () => {
  // Names of three letters allow one edit; two substitutions would be too many.
  assertThrows(() => new Collections(["abc"]).check("acb"), CollectionError, 'Did you mean "abc"?');
});

Deno.test("a long name is shortened, and a name cannot break out of its quotes", () => {
  const { message } = assertThrows(() => known.check('"\n' + "é".repeat(5000)), CollectionError);
  assertEquals(message.length < 300, true);
  assertStringIncludes(message, 'Unknown collection "\\"\\né');
});

Deno.test("the error names at most 50 collections, each on one line", () => {
  const names = Array.from({ length: 60 }, (_, n) => `\u202e${n}\n${"x".repeat(200)}`);
  const { message } = assertThrows(() => new Collections(names).check("photos"), CollectionError);
  assertEquals([message.includes("\n"), message.includes("\u202e")], [false, false]);
  assertStringIncludes(message, "workspace, 0 xxx");
  assertStringIncludes(message, "x…, …; an operator");
  assertEquals(message.length < 5000, true);
});
