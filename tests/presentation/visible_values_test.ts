import { assertEquals } from "@std/assert";
import { deepFreeze } from "../../src/data_structures/mod.ts";
import { withVisibleText } from "../../src/presentation/mod.ts";

Deno.test("withVisibleText keeps values that are not text", () => {
  const value = { a: null, b: 1, c: true, d: [null, { e: "plain" }], document_id: 7 };
  assertEquals(withVisibleText(value), value);
});

Deno.test("withVisibleText cleans field names", () => {
  assertEquals<unknown>(withVisibleText({ by_collection: { "a\u200bb": 1 }, "x\u202e_id": "y\u202e" }), {
    by_collection: { ab: 1 },
    x_id: "y",
  });
});

Deno.test("withVisibleText: the copy of a frozen value is made once", () => {
  const documents = deepFreeze({ by_collection: { ["a\u200bb"]: 1 }, top: ["x\u202ey"] });
  const once = withVisibleText({ documents });
  assertEquals<unknown>(once, { documents: { by_collection: { ab: 1 }, top: ["xy"] } });
  assertEquals(withVisibleText({ documents }).documents === once.documents, true);
});
