import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { scenario } from "../support/scenario.ts";

scenario(
  "Search tool / Basic search: POSTs to /api/v1/search and answers text, scores, metadata and tags",
  async (kb) => {
    const id = await kb.note({
      text: "Pension revaluation is tied to average earnings.",
      title: "Pensions",
      source_path: "notes/pension.md",
      tags: ["finance"],
    });
    await kb.note({ text: "The garden needs water in June." });
    kb.calls.length = 0;

    const answer = await kb.call(kbSearch, { query: "pension revaluation", top: 5 });

    assertEquals(kb.sent("POST", "/api/v1/search"), [{ query: "pension revaluation", top: 5 }]);
    assertEquals(answer.mode, "fts");
    const [hit] = answer.results;
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
  "Search tool / Search results strip collection tags: collection stands beside the other tags",
  async (kb) => {
    await kb.note({ text: "Feedback on email.", collection: "memory", tags: ["feedback", "email"] });

    const { results } = await kb.call(kbSearch, { query: "feedback" });

    assertEquals(results[0]?.collection, "memory");
    assertEquals(results[0]?.tags.toSorted(), ["email", "feedback"]);
  },
);

scenario("Search tool / Search with mode override: passes fts_only: true", async (kb) => {
  await kb.note({ text: "The error log says disk full." });
  kb.calls.length = 0;

  const answer = await kb.call(kbSearch, { query: "error log", fts_only: true });

  assertEquals(kb.sent("POST", "/api/v1/search"), [{ query: "error log", top: 10, fts_only: true }]);
  assertEquals([answer.mode, answer.results.length], ["fts", 1]);
});
