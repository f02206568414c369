import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Collections } from "../../src/collections/mod.ts";
import { resources } from "../../src/resources/mod.ts";
import { openHarness } from "../support/harness.ts";
import { readMarkdown } from "../support/read_resource.ts";

Deno.test("the list contains the status and each known collection", () => {
  const listed = resources.list({ collections: new Collections(["recipes"]) });
  assertEquals(listed.map(({ uri }) => uri), [
    "kb://status",
    "kb://collections/documents",
    "kb://collections/memory",
    "kb://collections/workspace",
    "kb://collections/recipes",
  ]);
  assertEquals(new Set(listed.map(({ name }) => name)).size, 5);
});

Deno.test("all listed resources can be read", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (const { uri, mimeType } of resources.list(kb.context)) {
    assertEquals(mimeType, "text/markdown");
    assertMatch(await readMarkdown(kb, uri), /^# /);
    assertEquals((await resources.read(uri, kb.context)).ttlMs, 0);
  }
});

Deno.test("each template has a name, a title and a description", () => {
  assertEquals(resources.templates.map(({ uriTemplate }) => uriTemplate), [
    "kb://documents/{id}",
    "kb://documents/{id}/chunks/{n}",
    "kb://collections/{name}",
  ]);
  for (const { name, title, description } of resources.templates) {
    assertEquals([name, title, description].map((text) => text.trim() !== ""), [true, true, true]);
  }
});

Deno.test("the status counts documents by collection and type", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "One.", collection: "memory" });
  const text = await readMarkdown(kb, "kb://status");
  for (
    const row of [
      "| Collection | Documents |\n| --- | --- |\n| documents | 0 |\n| memory | 1 |\n| workspace | 0 |\n",
      "| Type | Documents |\n| --- | --- |\n| note | 1 |\n",
      "| documents | 1 |\n| chunks | 1 |\n",
      "| done | 1 |",
      "| This server |  |\n| --- | --- |\n| name | kb-mcp |\n| version | 3.0.0 |\n",
      "| uploads in progress | 0 |",
    ]
  ) assertStringIncludes(text, row);
});

Deno.test("unexpected status values are shown as text", async () => {
  const status = {
    version: "3.9.9|\n| x",
    model: { name: "e5", dim: 384 },
    documents: 7,
    queue: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`q${i}`, i])),
    storage: { deep: { a: ["x".repeat(10_000)] } },
  };
  await using kb = await openHarness({ placement: "embedded", handler: () => Response.json(status) });
  const text = await readMarkdown(kb, "kb://status");
  assertStringIncludes(
    text,
    '| version | 3.9.9\\| \\| x |\n| model | {"name":"e5","dim":384} |\n| documents | 7 |',
  );
  assertStringIncludes(text, "| q49 | 49 |\n| … | 150 more |");
  assertEquals(text.length < 5_000, true);
});
