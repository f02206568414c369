import { assertEquals, assertRejects } from "@std/assert";
import { CollectionError } from "../../src/collections/mod.ts";
import { kbList } from "../../src/tools/kb_list.ts";
import { openHarness } from "../support/harness.ts";

/** An engine with documents in the collection `work`, and none in `empty` any longer. */
function engine(request: Request): Response {
  return request.url.endsWith("/status")
    ? Response.json({
      version: "3.6.0",
      documents: { total: 1, by_type: {}, by_collection: { work: 1, empty: 0, "": 1 } },
    })
    : Response.json({ documents: [], total: 0 });
}

Deno.test("a filter may name a collection with documents, and no other one that is not configured", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: engine });
  assertEquals((await kb.call(kbList, { collection: "work" })).total, 0);
  for (const collection of ["empty", "toString", "__proto__"]) {
    await assertRejects(() => kb.call(kbList, { collection }), CollectionError, "Unknown collection");
  }
  await assertRejects(
    () => kb.call(kbList, { collection: "x" }),
    CollectionError,
    "workspace, work; an operator",
  );
});

Deno.test("the status is asked for only if a name is not configured", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: engine });
  for (const collection of ["memory", ["memory", "documents"], "memory, documents"]) {
    await kb.call(kbList, { collection });
  }
  const asked = () => kb.paths().filter((path) => path.endsWith("/status")).length;
  const before = asked();
  await kb.call(kbList, { collection: "memory, work" });
  assertEquals([before, asked()], [0, 1]);
});

Deno.test("an unknown collection is an error also if the engine has no status", async () => {
  const handler = () => Response.json({ error: { code: "internal", message: "x" } }, { status: 500 });
  await using kb = await openHarness({ placement: "embedded", handler });
  await assertRejects(
    () => kb.call(kbList, { collection: "memroy" }),
    CollectionError,
    'Did you mean "memory"?',
  );
});
