import { assertEquals } from "@std/assert";
import { present, presentJob, withVisibleText } from "../../src/presentation/mod.ts";

Deno.test("present separates the collection from the tags, and keeps other fields", () => {
  assertEquals<unknown>(
    present({ document_id: 1, updated_at: null, tags: ["collection:memory", "feedback"], extra: { a: 1 } }),
    { document_id: 1, extra: { a: 1 }, collection: "memory", tags: ["feedback"] },
  );
  assertEquals<unknown>(present({ job_id: "j", tags: null }), { job_id: "j" });
});

Deno.test("presentJob drops fields without a value", () => {
  const job = { job_id: 1, status: "queued", progress: 0, error: null, document_id: null };
  assertEquals<unknown>(presentJob(job), {
    job_id: 1,
    status: "queued",
    progress: 0,
  });
});

Deno.test("present keeps front matter, and omits an empty field for it", () => {
  const metadata = { status: "draft", sources: ["a", "b"] };
  assertEquals<unknown>(present({ document_id: 1, tags: [], metadata }).metadata, metadata);
  for (const none of [null, undefined, {}]) {
    assertEquals("metadata" in present({ document_id: 1, tags: [], metadata: none }), false);
  }
});

Deno.test("present cuts front matter at 1,000 tokens and sets metadata_cut", () => {
  const metadata = { status: "draft", long: "word ".repeat(2_000), after: "x" };
  const output = present({ document_id: 1, tags: [], metadata });
  assertEquals<unknown>([output.metadata, "metadata_cut" in output], [{ status: "draft" }, true]);
});

Deno.test("present cleans the names and values of front matter, for any field name", () => {
  const hidden = "\u200b\u{e0049}\u{e0067}\u202e";
  const metadata = {
    [`sta${hidden}tus`]: "draft",
    note_id: `a${hidden}b`,
    document_id: `c${hidden}d`,
    list: [{ [`k${hidden}`]: `v${hidden}` }],
  };
  assertEquals<unknown>(present({ document_id: `1${hidden}`, tags: [], metadata }), {
    document_id: `1${hidden}`,
    tags: [],
    metadata: { status: "draft", note_id: "ab", document_id: "cd", list: [{ k: "v" }] },
  });
});

Deno.test("present keeps front matter with a field named __proto__", () => {
  const { metadata } = present({ document_id: 1, metadata: JSON.parse('{"__proto__":{"a":1},"b":2}') });
  assertEquals(JSON.stringify(metadata), '{"__proto__":{"a":1},"b":2}');
  assertEquals("a" in metadata!, false);
});

Deno.test("fields whose names differ only by invisible characters stay distinct", () => {
  assertEquals<unknown>(
    present({
      "document_id\u200b": "hidden",
      document_id: 1,
      tags: [],
      metadata: {
        "a\u200bb": 1,
        "a\u202eb": 2,
        "a\u200b\u202eb": 3,
        c: { "d\u00ad": 4, d: 5 },
        "e\u200b": 6,
      },
    }),
    {
      "document_id\\u200b": "hidden",
      document_id: 1,
      tags: [],
      metadata: { ab: 1, "a\\u202eb": 2, "a\\u200b\\u202eb": 3, c: { "d\\u00ad": 4, d: 5 }, e: 6 },
    },
  );
  assertEquals<unknown>(withVisibleText({ "a\u200b": 1, a: 2, "a\\u200b": 3 }), {
    "a\\u200b (2)": 1,
    a: 2,
    "a\\u200b": 3,
  });
});
