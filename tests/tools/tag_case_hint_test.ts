import { assertEquals } from "@std/assert";
import { kbList } from "../../src/tools/kb_list.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { openHarness } from "../support/harness.ts";

Deno.test("lists and searches by a tag name tags that differ by case only", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron.", tags: ["project", "sea"] });
  await kb.note({ text: "A grey heron.", tags: ["Project"] });
  const hints = async (args: Record<string, unknown>) => [
    (await kb.call(kbList, args))["hint"],
    (await kb.call(kbSearch, { query: "heron", ...args }))["hint"],
    (await kb.call(kbSearch, { query: "", ...args }))["hint"],
  ];
  const hint = (tag: string) =>
    `Tags are case-sensitive. Other documents have "${tag}": the filter tags_any takes several spellings.`;
  for (const args of [{ tags: ["project"] }, { tags_any: ["project"] }]) {
    assertEquals(await hints(args), Array(3).fill(hint("Project")));
  }
  assertEquals(await hints({ tags: ["Project"] }), Array(3).fill(hint("project")));
  for (const args of [{ tags_any: ["project", "Project"] }, { tags: ["sea"] }, {}]) {
    assertEquals(await hints(args), [undefined, undefined, undefined]);
  }
});

Deno.test("a search without tags looks up no spellings of them", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron.", tags: ["project"] });
  await kb.call(kbSearch, { query: "heron" });
  assertEquals(kb.paths().filter((path) => path.endsWith("/documents/query")), []);
});
