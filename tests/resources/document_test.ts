import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { resources } from "../../src/resources/mod.ts";
import { openHarness } from "../support/harness.ts";
import { readError, readMarkdown } from "../support/read_resource.ts";

const bodyOf = (markdown: string) => markdown.slice(markdown.indexOf("\n---\n\n") + 6).trimEnd();

Deno.test("a document consists of its title, its properties and its text", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({
    text: "Water them on Monday.",
    title: "Ferns",
    source_path: "plants/ferns.md",
    collection: "memory",
    tags: ["green", "a`b"],
  });
  const text = await readMarkdown(kb, `kb://documents/${id}`);
  assertMatch(text, /^# Ferns\n\n- Collection: \[memory\]\(kb:\/\/collections\/memory\)\n/);
  assertStringIncludes(text, "\n- Type: note\n");
  assertStringIncludes(text, "``a`b``");
  assertStringIncludes(text, "`green`");
  assertStringIncludes(text, "\n- Source: `plants/ferns.md`\n");
  assertMatch(text, /\n- Added: \d{4}-\d\d-\d\d\n/);
  assertStringIncludes(text, `\n- Id: \`${id}\`\n`);
  assertEquals(bodyOf(text), "Water them on Monday.");
});

Deno.test("the front matter of a note is shown as metadata, escaped", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const text = '---\nstatus: draft\nsources: [a.md, b.md]\nnote: "`x` [y](z)"\n---\nWater them on Monday.';
  const id = await kb.note({ text, title: "Ferns" });
  assertStringIncludes(
    await readMarkdown(kb, `kb://documents/${id}`),
    '\n- Metadata:\n  - `status`: `draft`\n  - `sources`: `["a.md","b.md"]`\n  - `note`: `` `x` [y](z) ``\n\n---\n',
  );
  const other = await kb.note({ text: "Water them on Tuesday." });
  assertEquals((await readMarkdown(kb, `kb://documents/${other}`)).includes("Metadata"), false);
});

Deno.test("long metadata of a third-party engine is truncated", async () => {
  const fields = Array.from({ length: 60 }, (_, i) => [`field${i}`, "x".repeat(1_000)]);
  const document = { document_id: 1, title: "T", doc_type: "note", tags: [], chunks: [] };
  await using kb = await openHarness({
    placement: "embedded",
    handler: () => Response.json({ ...document, metadata: Object.fromEntries(fields) }),
  });
  const lines = (await readMarkdown(kb, "kb://documents/1")).split("\n").filter((line) =>
    line.startsWith("  - ")
  );
  assertEquals([lines.length, lines[0]], [50, `  - \`field0\`: \`${"x".repeat(500)}\``]);
});

Deno.test("a document of many chunks reads like the original, without overlaps or duplicate headings", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const parts = Array.from(
    { length: 30 },
    (_, i) => `## Part ${i}\n\n${`Sentence ${i} of many words in a row. `.repeat(90).trimEnd()}`,
  );
  const original = `# Handbook\n\n${parts.join("\n\n")}`;
  const id = await kb.note({ text: original, title: "Handbook" });
  assert((await kb.engine.document(id)).chunks_total! > 60);
  const text = await readMarkdown(kb, `kb://documents/${id}`);
  assertEquals(bodyOf(text), original);
  assertEquals(text.match(/^# Handbook$/gm)?.length, 1);
});

Deno.test("a title taken from the first line is not repeated", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "A very long first line about ferns, ".repeat(10) });
  assertMatch(await readMarkdown(kb, `kb://documents/${id}`), /^- Collection: /);
});

Deno.test("a long document is truncated with a link to the rest", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const text = Array.from({ length: 320 }, (_, i) => `## Part ${i}\n\n${"Many words. ".repeat(70)}`);
  const id = await kb.note({ text: text.join("\n\n"), title: "Long" });
  const { chunks_total } = await kb.engine.document(id, { limit: 1 });
  const markdown = await readMarkdown(kb, `kb://documents/${id}`);
  assertStringIncludes(markdown, `*These are chunks 0 to 299 of ${chunks_total}. `);
  assertStringIncludes(markdown, `[chunk 300](kb://documents/${id}/chunks/300)`);
  const next = await readMarkdown(kb, `kb://documents/${id}/chunks/300`);
  assertStringIncludes(next, `chunk 300 of ${chunks_total}`);
});

Deno.test("a text of large chunks is truncated by its length", async () => {
  for (
    const [sizes, notice] of [
      [[300_000, 90_000, 90_000], "*These are chunks 0 to 1 of 3. Continue with [chunk 2]"],
      [[900_000, 1], "*This is part of chunk 0 of 2. Continue with [chunk 0]"],
    ] as const
  ) {
    const chunks = sizes.map((size, chunk_id) => ({ chunk_id, text: "x".repeat(size) }));
    await using kb = await openHarness({
      placement: "embedded",
      handler: () => Response.json({ document_id: 1, title: "Big", doc_type: "text", tags: [], chunks }),
    });
    const text = await readMarkdown(kb, "kb://documents/1");
    assertStringIncludes(text, notice);
    assert(text.length > 300_000 && text.length < 401_000);
  }
});

Deno.test("a document can be read by its readable id", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Water them on Monday.", title: "Ferns" });
  for (const slug of ["ferns", "an-older-title", "", "%C3%BC~%2F"]) {
    assertMatch(await readMarkdown(kb, `kb://documents/${id}~${slug}`), /^# Ferns\n/);
  }
});

Deno.test("the error for a missing document explains how to find others", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (const id of ["99", "nobody", "99~slug", "..", "%2e"]) {
    assertMatch(await readError(kb, `kb://documents/${id}`), /^There is no document ".*kb_search/);
    assertMatch(await readError(kb, `kb://documents/${id}/chunks/0`), /^There is no document "/);
  }
});

Deno.test("a hostile title cannot end its link or heading, or reverse the text direction", async () => {
  const title = "x](http://evil.example) \u202e`<b>\n# y|~~z~~ &amp;";
  const document = { document_id: "a(b)", title, doc_type: "n|o\nte", tags: [], source_path: "p`\nq" };
  await using kb = await openHarness({
    placement: "embedded",
    handler: () => Response.json({ ...document, chunks: [{ chunk_id: 1, text: "body" }], chunks_total: 2 }),
  });
  const whole = await readMarkdown(kb, "kb://documents/x");
  const escaped = "x\\](http://evil.example) \\`\\<b\\> \\# y\\|\\~\\~z\\~\\~ \\&amp;";
  assertEquals(whole.split("\n")[0], `# ${escaped}`);
  assertStringIncludes(whole, "- Type: n\\|o te\n- Source: ``p` q``\n");
  const chunk = await readMarkdown(kb, "kb://documents/x/chunks/0");
  assertEquals(chunk.split(" · ")[0], `[${escaped}](kb://documents/a%28b%29)`);
});

Deno.test("a chunk is shown with its position and links to its neighbours", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const text = [
    "# Plants",
    ...["Ferns", "Moss", "Palms"].map((name) => `## ${name}\n\n${`${name}. `.repeat(150)}`),
  ];
  const id = await kb.note({ text: text.join("\n\n"), title: "Plants" });
  const { chunks = [] } = await kb.engine.document(id);
  const uri = (n: number) => `kb://documents/${id}/chunks/${n}`;
  assertEquals(chunks.length, 3);
  const markdown = await Promise.all([0, 1, 2].map((n) => readMarkdown(kb, uri(n))));
  assertMatch(
    markdown[1]!,
    /^\[Plants\]\(kb:\/\/documents\/\d+\) · chunk 1 of 3 \(counted from 0\) · Plants › Moss · lines \d+–\d+\n/,
  );
  assertEquals(markdown.map((one, n) => one.includes(`\n\n---\n\n${chunks[n]!.text}\n\n---\n\n`)), [
    true,
    true,
    true,
  ]);
  assertEquals(markdown.map((one) => one.trimEnd().split("\n").at(-1)), [
    `[Next: chunk 1](${uri(1)})`,
    `[Previous: chunk 0](${uri(0)}) · [Next: chunk 2](${uri(2)})`,
    `[Previous: chunk 1](${uri(1)})`,
  ]);
});

Deno.test("the error for a chunk beyond the end reports their number", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Short." });
  assertEquals(
    await readError(kb, `kb://documents/${id}/chunks/1`),
    "There is no chunk 1: that document has 1, from 0 to 0.",
  );
});

Deno.test("a cancelled read fails with cancelled", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Short." });
  const context = { ...kb.context, signal: AbortSignal.abort() };
  const uris = [`documents/${id}`, `documents/${id}~x/chunks/0`, "collections/memory", "status"];
  for (const uri of uris) {
    const error = await assertRejects(() => resources.read(`kb://${uri}`, context), EngineError);
    assertEquals(error.code, "cancelled");
  }
  for (const [template, name] of [["kb://documents/{id}", "id"], ["kb://documents/{id}/chunks/{n}", "n"]]) {
    const query = { name: name!, value: "1", others: { id: String(id) } };
    assertEquals(
      (await assertRejects(() => resources.complete(template!, query, context), EngineError)).code,
      "cancelled",
    );
  }
});

Deno.test("an engine error is not reported as a missing document", async () => {
  await using kb = await openHarness({
    placement: "embedded",
    handler: () => Response.json({ detail: "no" }, { status: 401 }),
  });
  const error = await assertRejects(() => resources.read("kb://documents/1~a", kb.context), EngineError);
  assertEquals([error.code, kb.calls.length], ["unauthorized", 1]);
});
