import { assert, assertEquals } from "@std/assert";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { linksTo } from "../../src/tools/resource_links.ts";
import { EncodedOutput } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";

const link = (id: string | number, name: string) => ({
  type: "resource_link",
  uri: `kb://documents/${id}`,
  name,
});

Deno.test("kb_search links to its first documents once, in the order of its results", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const long = `${"Tides. ".repeat(400)}\n\n${"Moon and tides. ".repeat(400)}`;
  await kb.note({ text: long, title: "Tide tables" });
  await kb.note({ text: "Tides, tides, tides.", source_path: "memory/tides.md" });
  const input = kbSearch.input.parse({ query: "tides" });
  const encoded = await kbSearch.run(input, kb.context);
  assert(encoded instanceof EncodedOutput);
  const output = encoded.value;
  const order = [...new Set(output.results.map(({ document_id }) => document_id))];
  assertEquals(order.length, 2);
  const names: Record<string, string> = {};
  for (const { document_id, title, source_path } of output.results) {
    names[document_id] ??= String(title ?? source_path);
  }
  assertEquals(encoded.content, order.map((id) => link(id, names[id]!)) as never);
});

Deno.test("kb_get links to the document, also when a source_path led to it, and to each of several", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({
    text: "High water is at noon.",
    title: "Tides",
    source_path: "memory/tides.md",
  });
  const byId = await kb.call(kbGet, { document_id: id, chunks: false });
  assertEquals(kbGet.content?.(byId), [link(id, "Tides")] as never);
  const byPath = await kb.call(kbGet, { source_path: "memory/tides.md" });
  assertEquals(kbGet.content?.(byPath), [link(id, "Tides")] as never);
  const none = await kb.call(kbGet, { source_path: "memory/none.md" });
  assertEquals(kbGet.content?.(none), []);
});

Deno.test("a link is named by title, else by source_path, text or number, and never at length", () => {
  const names = [
    { document_id: 1, title: "Tides", source_path: "a.md" },
    { document_id: 2, title: null, source_path: "b.md" },
    { document_id: 3, title: "", source_path: null },
    { document_id: "x y", title: 7 },
    { document_id: 5, title: `${"a".repeat(58)}😀😀` },
    { document_id: 6, text: "Tides,\ntides." },
  ];
  assertEquals(names.flatMap((each) => linksTo([each])).map(({ uri, name }) => [uri, name]), [
    ["kb://documents/1", "Tides"],
    ["kb://documents/2", "b.md"],
    ["kb://documents/3", "Document 3"],
    ["kb://documents/x%20y", "Document x y"],
    ["kb://documents/5", `${"a".repeat(58)}\ufffd…`],
    ["kb://documents/6", "Tides, tides."],
  ]);
});

Deno.test("there are at most 3 links, and none to an id that no URI can hold", () => {
  const many = Array.from({ length: 50 }, (_, i) => ({ document_id: i % 25 }));
  assertEquals(linksTo(many).map(({ uri }) => uri), [0, 1, 2].map((id) => `kb://documents/${id}`));
  assertEquals(linksTo([{ document_id: "\ud800" }, { document_id: "" }, {}]), []);
});
