import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { scenario } from "../support/scenario.ts";

scenario(
  "Search tool / Basic search: POSTs to /api/v1/search and returns text, scores, metadata and tags",
  async (kb) => {
    const id = await kb.note({
      text: "Pension revaluation is tied to average earnings.",
      title: "Pensions",
      source_path: "notes/pension.md",
      tags: ["finance"],
    });
    await kb.note({ text: "The garden needs water in June." });
    kb.calls.length = 0;

    const output = await kb.call(kbSearch, { query: "pension revaluation", top: 5 });

    assertEquals(kb.sent("POST", "/api/v1/search"), [{ query: "pension revaluation", top: 5 }]);
    assertEquals(output.mode, "fts");
    const [hit] = output.results;
    assert(hit);
    assertEquals(String(hit.document_id), String(id));
    assertStringIncludes(hit.text, "tied to average earnings");
    assert(hit.score > 0);
    assertEquals(
      [hit.title, hit.source_path, hit.collection, hit.tags],
      ["Pensions", "notes/pension.md", "documents", ["finance"]],
    );
    assert(typeof hit.created_at === "string");
    assert(String(hit.chunk_id).length > 0);
  },
);

scenario(
  "Search tool / Search with collection filter: adds collection:memory to the tags filter",
  async (kb) => {
    const mine = await kb.note({ text: "Email preferences: plain text.", collection: "memory" });
    await kb.note({ text: "Email preferences of the whole company, a manual." });
    kb.calls.length = 0;

    const { results } = await kb.call(kbSearch, { query: "email preferences", collection: "memory" });

    assertEquals(kb.sent("POST", "/api/v1/search"), [
      { query: "email preferences", top: 10, tags: ["collection:memory"] },
    ]);
    assertEquals(results.map((hit) => String(hit.document_id)), [String(mine)]);
  },
);

scenario(
  "Search tool / Search with tags and collection: combines explicit tags with collection:memory",
  async (kb) => {
    const both = await kb.note({ text: "Feedback: shorter mails.", collection: "memory", tags: ["email"] });
    await kb.note({ text: "Feedback: more charts.", collection: "memory", tags: ["reports"] });
    await kb.note({ text: "Feedback form for customers.", tags: ["email"] });
    kb.calls.length = 0;

    const { results } = await kb.call(kbSearch, { query: "feedback", tags: ["email"], collection: "memory" });

    const [body] = kb.sent("POST", "/api/v1/search") as { tags: string[] }[];
    assertEquals(body?.tags.toSorted(), ["collection:memory", "email"]);
    assertEquals(results.map((hit) => String(hit.document_id)), [String(both)]);
  },
);

scenario(
  "Search tool / Search results strip collection tags: the collection is separate from the other tags",
  async (kb) => {
    await kb.note({ text: "Feedback on email.", collection: "memory", tags: ["feedback", "email"] });

    const { results } = await kb.call(kbSearch, { query: "feedback" });

    assertEquals(results[0]?.collection, "memory");
    assertEquals(results[0]?.tags?.toSorted(), ["email", "feedback"]);
  },
);

scenario("Search tool / Search with mode override: passes fts_only: true", async (kb) => {
  await kb.note({ text: "The error log says disk full." });
  kb.calls.length = 0;

  const output = await kb.call(kbSearch, { query: "error log", fts_only: true });

  assertEquals(kb.sent("POST", "/api/v1/search"), [{ query: "error log", top: 10, fts_only: true }]);
  assertEquals([output.mode, output.results.length], ["fts", 1]);
});

scenario(
  "Search tool / Search in several collections: searches all of them, and returns the filters",
  async (kb) => {
    const [mine, ours] = [
      await kb.note({ text: "Feedback: shorter mails.", collection: "memory" }),
      await kb.note({ text: "Feedback to sort.", collection: "workspace" }),
    ];
    await kb.note({ text: "Feedback form for customers." });

    const output = await kb.call(kbSearch, { query: "feedback", collection: ["memory", "workspace"] });

    const found = output.results.map((hit) => String(hit.document_id)).toSorted();
    assertEquals(found, [mine, ours].map(String).toSorted());
    assertEquals<unknown>(output["filters_applied"], { collection: ["memory", "workspace"] });
  },
);

scenario("Search tool / Search by tags: tags_any and tags_none", async (kb) => {
  const red = await kb.note({ text: "A tide table.", tags: ["red"] });
  await kb.note({ text: "Another tide table.", tags: ["red", "old"] });
  await kb.note({ text: "A third tide table.", tags: ["green"] });

  const output = await kb.call(kbSearch, {
    query: "tide table",
    tags_any: ["red", "blue"],
    tags_none: ["old"],
  });

  assertEquals(output.results.map((hit) => String(hit.document_id)), [String(red)]);
  assertEquals<unknown>(output["filters_applied"], { tags_any: ["red", "blue"], tags_none: ["old"] });
});

scenario(
  "Search tool / Search with max_tokens: the best results fill it, and the cut is reported",
  async (kb) => {
    for (let i = 0; i < 5; i++) {
      await kb.note({
        text: `Harbour log ${i}. ${"Wind and tide as usual. ".repeat(20)}`,
      });
    }
    const whole = await kb.call(kbSearch, { query: "harbour log" });

    const output = await kb.call(kbSearch, { query: "harbour log", max_tokens: 400 });

    const left = 5 - output.results.length;
    assert(left > 0 && left < 5);
    assertEquals(output.results[0]?.chunk_id, whole.results[0]?.chunk_id);
    assertEquals((output.cut as { omitted: number }).omitted, left);
    assertEquals(whole.cut, undefined);
  },
);

scenario("Search tool / Search with per_document: a long document does not crowd out others", async (kb) => {
  const parts = Array.from(
    { length: 6 },
    (_, i) => `# Part ${i}\n\n${`Lighthouse ${i} of many. `.repeat(60)}`,
  );
  const long = await kb.note({ text: parts.join("\n\n") });
  const short = await kb.note({ text: "A lighthouse." });

  const { results } = await kb.call(kbSearch, { query: "lighthouse", per_document: 1 });

  assertEquals(
    results.map((hit) => String(hit.document_id)).toSorted(),
    [long, short].map(String).toSorted(),
  );
});

scenario("Search tool / Search results have only visible text", async (kb) => {
  await kb.note({ text: "Heron\u202e at the \u{e0068}\u{e0069}lake.", title: "Bird\u200bs" });

  const { results: [hit] } = await kb.call(kbSearch, { query: "lake" });

  assertEquals([hit?.text, hit?.["title"]], ["Heron at the lake.", "Birds"]);
});
