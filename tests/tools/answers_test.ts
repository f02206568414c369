import { assertEquals } from "@std/assert";
import { present, withoutNulls, withPlace } from "../../src/tools/answers.ts";

Deno.test("present separates the collection from the tags, and leaves the rest as it is", () => {
  assertEquals<unknown>(
    present({ document_id: 1, updated_at: null, tags: ["collection:memory", "feedback"], extra: { a: 1 } }),
    { document_id: 1, updated_at: null, extra: { a: 1 }, collection: "memory", tags: ["feedback"] },
  );
  assertEquals<unknown>(present({ job_id: "j", tags: null }), { job_id: "j", collection: null, tags: [] });
});

Deno.test("withPlace keeps the places that a format has, and what an engine adds", () => {
  const place = {
    heading_path: [],
    page_start: 3,
    page_end: 3,
    line_start: null,
    char_start: 0,
    char_end: 9,
  };
  assertEquals<unknown>(withPlace({ chunk_id: 1, text: "x", ...place, cluster: null }), {
    chunk_id: 1,
    text: "x",
    page_start: 3,
    page_end: 3,
    cluster: null,
  });
  assertEquals<unknown>(withPlace({ heading_path: ["A"], line_start: 1 }), {
    heading_path: ["A"],
    line_start: 1,
  });
});

Deno.test("withoutNulls leaves out what a job has nothing to say of", () => {
  const job = { job_id: 1, status: "queued", progress: 0, error: null, document_id: null };
  assertEquals<unknown>(withoutNulls(job), { job_id: 1, status: "queued", progress: 0 });
});
