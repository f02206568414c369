import { assertEquals, assertMatch } from "@std/assert";
import { kbDelete } from "../../src/tools/kb_delete.ts";
import { kbList } from "../../src/tools/kb_list.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { openHarness } from "../support/harness.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";

Deno.test("an empty list and search name the filter that no document passes, and values that exist", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron.", title: "Heron", tags: ["Home", "birds"], source_path: "docs/a/1.md" });
  await kb.note({ text: "A tern.", title: "Tern", tags: ["home", "sea"], source_path: "docs/b/2.md" });
  const cases: [args: Record<string, unknown>, hint: string][] = [
    [{ tags: ["HOME"] }, 'No document has the tag "HOME". Did you mean "Home" or "home"?'],
    [{ tags: ["birds", "bird"] }, 'No document has the tag "bird". Did you mean "birds"?'],
    [{ tags: ["tax"] }, 'No document has the tag "tax". Tags: "Home", "birds", "home", "sea".'],
    [{ tags: ["x\u202e"] }, 'No document has the tag "x\\u202e". Tags: "Home", "birds", "home", "sea".'],
    [{ tags: ["birds", "sea"] }, "Each filter matches documents, but no document passes all."],
    [
      { tags_any: ["sae", "x\u202e"] },
      'No document has one of the tags "sae", "x\\u202e". Did you mean "sea"?',
    ],
    [{ tags_none: ["Home", "home"] }, "All documents have one of the excluded tags."],
    [{ doc_type: "md", tags: ["sea"] }, 'No document has the type "md". Types: "note".'],
    [{ collection: "memory" }, 'The collection "memory" has no documents yet.'],
    [{ collection: ["memory", "workspace"] }, "These collections have no documents yet."],
    [{ source_path: "a/" }, 'No path starts with "a/". Paths start with "docs/".'],
    [
      { metadata: { status: "done" } },
      "No document's metadata match: values are compared exactly, with case.",
    ],
    [{ until: "2020-01-01" }, "No document was added or changed in this time."],
  ];
  for (const [args, hint] of cases) {
    assertEquals((await kb.call(kbList, args))["hint"], hint);
    assertEquals((await kb.call(kbSearch, { query: "heron", ...args }))["hint"], hint);
    assertEquals((await kb.call(kbSearch, { query: "", ...args }))["hint"], hint);
  }
  assertEquals(
    (await kb.call(kbSearch, { query: "heron", language: "sv" }))["hint"],
    'No document has the language "sv".',
  );
  assertEquals(
    (await kb.call(kbList, { title: "Ibis" }))["hint"],
    'No title or file name has the words "Ibis".',
  );
  assertEquals(
    (await kb.call(kbList, { group_by: "tag", doc_type: "pdf" }))["hint"],
    cases[7]![1].replace("md", "pdf"),
  );
  assertEquals(
    (await kb.call(kbSearch, { query: "ibis", tags: ["sea"] }))["hint"],
    "Nothing found: try other words, or fewer filters (active: tags).",
  );
});

Deno.test("an empty list names the folders of documents before and after an import", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron.", source_path: "old/1.md" });
  for (let n = 0; n < 200; n++) await kb.note({ text: `Bird ${n}.`, source_path: `new/${n}.md` });
  const { hint } = await kb.call(kbList, { source_path: "1.md" });
  assertEquals(hint, 'No path starts with "1.md". Paths start with "new/", "old/", and maybe others.');
});

Deno.test("a search in a document that does not exist says so", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A tern." });
  const document_id = await kb.note({ text: "A heron." });
  const hintFor = async (document_id: unknown) =>
    (await kb.call(kbSearch, { query: "ibis", document_id }))["hint"];
  assertEquals(
    await hintFor(document_id),
    "Nothing found: try other words, or fewer filters (active: document_id).",
  );
  assertMatch(String(await hintFor("abc")), /no document abc/);
  await kb.call(kbDelete, { document_id });
  assertMatch(String(await hintFor(document_id)), /it was deleted at .*kb_restore brings it back/);
});

Deno.test("an empty list names at most ten values", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron.", tags: Array.from({ length: 11 }, (_, n) => `long tag ${n + 10}`) });
  const { hint } = await kb.call(kbList, { tags: ["x"] });
  assertMatch(String(hint), /Tags: ("long tag \d+", ){10}and 1 more\.$/);
});

Deno.test("the filters of an empty search take few requests to explain, and few words", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const many = Array.from({ length: 40 }, (_, n) => `long tag ${n + 10}`);
  await kb.note({ text: "A heron.", tags: many });
  const explain = async (args: Record<string, unknown>) => {
    kb.calls.length = 0;
    const { hint } = await kb.call(kbSearch, { query: "heron", ...args });
    return [kb.paths().filter((path) => path.endsWith("/documents/query")).length, hint];
  };
  const [calls, hint] = await explain({ tags: ["v", "w", "x", "y", "z"] });
  assertEquals([calls, String(hint).match(/No document has the tag "[vwx]"\./g)?.length], [6, 3]);
  assertEquals(await explain({ tags: [...many, "x"] }), [3, "No document has all of these tags."]);
  const [, any] = await explain({ tags_any: many.map((tag) => `${tag} x`) });
  assertMatch(String(any), /^No document has one of the tags ("long tag \d+ x", ){10}and 30 more\. /);
});

Deno.test("an empty store is said to be empty, whatever the filters", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (const args of [{}, { tags: ["a"] }, { collection: "memory" }]) {
    assertEquals((await kb.call(kbList, args))["hint"], "There are no documents yet.");
    assertEquals((await kb.call(kbSearch, { query: "x", ...args }))["hint"], "There are no documents yet.");
  }
});

Deno.test("a search with an engine that cannot explain an empty result succeeds", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: thirdPartyEngine() });
  const { results, hint } = await kb.call(kbSearch, { query: "x", tags: ["a"] });
  assertEquals([results, hint], [[], "Nothing found: try other words, or fewer filters (active: tags)."]);
});
