import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { EmbeddedEngine, formOf } from "../../support/embedded_engine.ts";
import { samplePdf } from "../../support/samples.ts";

Deno.test("GET status: returns version, counts by type and collection, queue and storage", async () => {
  await using engine = await EmbeddedEngine.open({ maxQueuedJobs: 77 });
  await engine.ingest({ text: "A note to be counted", tags: ["collection:memory"] });
  await engine.ingest({ file: new File(["# Title\n\nText."], "a.md"), tags: ["collection:documents", "x"] });
  const { status, body } = await engine.call("status");
  assertEquals(status, 200);
  assertEquals(body.version, "3.7.0");
  assertEquals(body.model, null);
  assertEquals(body.documents, {
    total: 2,
    by_type: { markdown: 1, note: 1 },
    by_collection: { documents: 1, memory: 1 },
    by_language: { en: 1, und: 1 },
  });
  assertEquals(body.queue, { queued: 0, processing: 0, done: 2, failed: 0, limit: 77 });
  assertEquals(body.tags, 3);
  assert(body.storage.database_bytes > 0);
});

Deno.test("POST jobs: a note becomes a searchable document", async () => {
  await using engine = await EmbeddedEngine.open();
  const accepted = await engine.call("createJob", {
    body: formOf({
      text: "The ferry leaves\nat noon.",
      title: "Ferry",
      source_path: "trips/1",
      tags: ["b", "a", "b"],
    }),
  });
  assertEquals(accepted.status, 202);
  const { body: job } = await engine.call("getJob", { id: 1 });
  assertEquals(accepted.body, job);
  assertEquals([job.status, job.outcome, job.error], ["done", "created", null]);
  const { body: document } = await engine.call("getDocument", { id: Number(job.document_id) });
  assertEquals(document.title, "Ferry");
  assertEquals(document.source_path, "trips/1");
  assertEquals(document.tags, ["a", "b"]);
  // FormData sent the line end as CRLF.
  assertEquals(document.chunks[0].text, "The ferry leaves\nat noon.");
  const { body: found } = await engine.call("search", { body: { query: "ferry at noon", tags: ["a"] } });
  assertEquals(found.mode, "fts");
  assertEquals(found.results[0].document_id, job.document_id);
});

Deno.test("POST jobs: a long note, or one without text, is queued", async () => {
  await using engine = await EmbeddedEngine.open();
  const long = "The ferry leaves at noon. ".repeat(1000);
  for (const [text, status] of [[long, "done"], ["---\ntitle: Ferry\n---\n", "failed"]] as const) {
    const { body } = await engine.call("createJob", { body: formOf({ text }) });
    assertEquals(Object.keys(body), ["job_id", "status"]);
    assertEquals((await engine.jobEnd(body.job_id)).status, status);
  }
});

Deno.test("POST jobs: a file is extracted, with the parts of the form in any order", async () => {
  await using engine = await EmbeddedEngine.open();
  const job = await engine.ingest({
    file: new File([samplePdf(["Lighthouse keepers wanted"])], "dir/ad.pdf", { type: "application/pdf" }),
    title: "Ad",
    tags: ["jobs", "sea"],
    source_path: "/ads/ad.pdf",
  });
  assertEquals([job.status, job.filename, job.error], ["done", "ad.pdf", null]);
  assertEquals(job.tags, ["jobs", "sea"]);
  const { body } = await engine.call("getDocument", { id: Number(job.document_id) });
  assertEquals([body.doc_type, body.title, body.source_path], ["pdf", "Ad", "/ads/ad.pdf"]);
  assertEquals(body.chunks[0].page_start, 1);
  await engine.close();
  assertEquals(engine.spooled(), []);
});

Deno.test("POST jobs: the same content is a duplicate, and new content for a path replaces the old", async () => {
  await using engine = await EmbeddedEngine.open();
  const first = await engine.ingest({ text: "one", source_path: "p", tags: ["a"] });
  const again = await engine.ingest({ text: "one", source_path: "p", tags: ["b"] });
  assertEquals([again.outcome, again.document_id], ["duplicate", first.document_id]);
  const next = await engine.ingest({ text: "two", source_path: "p" });
  assertEquals(next.outcome, "replaced");
  const { body } = await engine.call("listDocuments", { query: { source_path: "p" } });
  assertEquals(body.total, 1);
});

Deno.test("GET jobs: pages through jobs by status, newest first", async () => {
  await using engine = await EmbeddedEngine.open();
  for (const text of ["a", "b", "c"]) await engine.ingest({ text });
  await engine.ingest({ file: new File(["\x00\x01\x02\xff"], "x.bin") });
  const page = await engine.call("listJobs", { query: { limit: "2", status: "done" } });
  assertEquals(page.body.jobs.map((job: { job_id: number }) => job.job_id), [3, 2]);
  assertEquals(page.body.total, 3);
  const next = await engine.call("listJobs", { query: { status: "done", cursor: page.body.next_cursor } });
  assertEquals(next.body.jobs.map((job: { job_id: number }) => job.job_id), [1]);
  const failed = await engine.call("listJobs", { query: { status: "failed" } });
  assertEquals(failed.body.jobs.map((job: { job_id: number }) => job.job_id), [4]);
});

Deno.test("GET documents: filters by tag and type, and pages through the results", async () => {
  await using engine = await EmbeddedEngine.open();
  for (const text of ["a", "b", "c"]) await engine.ingest({ text, tags: ["all", text] });
  const first = await engine.call("listDocuments", { query: { tag: "all", doc_type: "note", limit: "2" } });
  const rest = await engine.call("listDocuments", { query: { tag: "all", cursor: first.body.next_cursor } });
  assertEquals([first.body.documents.length, rest.body.documents.length, first.body.total], [2, 1, 3]);
  assertEquals((await engine.call("listDocuments", { query: { tag: "b" } })).body.total, 1);
  assertEquals((await engine.call("listDocuments", { query: { since: "2999-01-01" } })).body.total, 0);
});

Deno.test("POST documents/query: lists pages of documents, and counts them", async () => {
  await using engine = await EmbeddedEngine.open();
  for (const text of ["a", "b", "c"]) {
    await engine.ingest({ text, title: `Title ${text}`, tags: ["all", `collection:${text}`] });
  }
  const query = (body: Record<string, unknown>) => engine.call("queryDocuments", { body });
  const request = { tags: ["all"], collections: ["a", "b"], sort: "title", limit: 1 };
  const first = await query(request);
  assertEquals([first.status, first.body.total, first.body.groups], [200, 2, undefined]);
  assertEquals(first.body.documents.map(({ title }: { title: string }) => title), ["Title a"]);
  const rest = await query({ ...request, cursor: first.body.next_cursor });
  assertEquals([rest.body.documents[0].title, rest.body.next_cursor], ["Title b", null]);
  assertEquals((await query({ ...request, sort: "size", cursor: first.body.next_cursor })).status, 400);
  const counted = await query({ group_by: "collection", limit: 2 });
  assertEquals(counted.body.groups, [{ key: "a", count: 1 }, { key: "b", count: 1 }]);
  assertEquals([counted.body.total, typeof counted.body.next_cursor], [3, "string"]);
});

Deno.test("POST documents/query: rejects invalid requests", async (t) => {
  await using engine = await EmbeddedEngine.open();
  const cases: [Record<string, unknown>, string][] = [
    [{ sort: "score" }, 'sort must be one of "updated", "created", "title", "size", "used", got "score"'],
    [{ group_by: "title" }, 'group_by must be one of "tag", "collection", "kind", "day", got "title"'],
    [{ limit: 201 }, "limit must be at most 200, got 201"],
    [{ title: " " }, "title must not be empty"],
    [{ title: "!" }, "title must contain a word"],
    [{ since: "yesterday" }, "since must be a date such as"],
    [{ metadata: { a: null } }, "metadata.a must be"],
    [{ metadata: { a: {} } }, "metadata.a must"],
    [{ metadata: { a: { from: 1, to: "2" } } }, "metadata.a must"],
    [{ collections: [] }, "collections must"],
    [{ cursor: "x" }, "cursor must be the next_cursor of the previous page"],
  ];
  for (const [body, message] of cases) {
    await t.step(JSON.stringify(body), async () => {
      const response = await engine.call("queryDocuments", { body });
      assertEquals([response.status, response.body.error?.code], [400, "invalid"]);
      assertStringIncludes(response.body.error.message, message);
    });
  }
});

Deno.test("GET documents/{id}: pages through chunks, or omits them", async () => {
  await using engine = await EmbeddedEngine.open({ chunk: { maxTokens: 50, overlapTokens: 0 } });
  const text = Array.from({ length: 40 }, (_, i) => `Sentence number ${i} of a long note.`).join(" ");
  const { document_id } = await engine.ingest({ text });
  const id = Number(document_id);
  const { body: whole } = await engine.call("getDocument", { id });
  assert(whole.chunks_total > 3);
  const { body: page } = await engine.call("getDocument", { id, query: { offset: "1", limit: "2" } });
  assertEquals(page.chunks, whole.chunks.slice(1, 3));
  assertEquals([page.chunks_offset, page.chunks_total], [1, whole.chunks_total]);
  assertEquals(
    "chunks" in (await engine.call("getDocument", { id, query: { chunks: "false" } })).body,
    false,
  );
});

Deno.test("DELETE documents/{id}: removes the document from listings and search", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "ephemeral", title: "Gone" });
  const id = Number(document_id);
  const { body: { restorable_until, ...body } } = await engine.call("deleteDocument", { id });
  assertEquals(body, { status: "deleted", document_id: id, title: "Gone" });
  assert(Date.parse(restorable_until) > Date.now());
  assertEquals((await engine.call("getDocument", { id })).status, 404);
  assertEquals((await engine.call("search", { body: { query: "ephemeral" } })).body.results, []);
});

Deno.test("POST documents/{id}/tags: removes tags, then adds tags, and sets updated_at", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "x", tags: ["old", "both"] });
  const id = Number(document_id);
  const { body } = await engine.call("changeTags", {
    id,
    body: { remove: ["old", "both"], add: ["both", "new"] },
  });
  assertEquals(body.tags, ["both", "new"]);
  assertMatch(body.updated_at, /^\d{4}-\d\d-\d\dT/);
});

Deno.test("POST documents/{id}/tags: concurrent changes of collection leave exactly one", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "x", tags: ["collection:documents"] });
  const id = Number(document_id);
  for (let round = 0; round < 40; round++) {
    const added = [`collection:a${round}`, `collection:b${round}`];
    const responses = await Promise.all(
      added.map((tag) =>
        engine.call("changeTags", { id, body: { remove_prefix: "collection:", add: [tag] } })
      ),
    );
    assertEquals(responses.map(({ status }) => status), [200, 200]);
    const { tags } = (await engine.call("getDocument", { id })).body;
    assertEquals(tags.length, 1);
    assert(added.includes(tags[0]), tags[0]);
  }
});

Deno.test("POST documents/{id}/tags: rejects two collections", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "x" });
  const { status, body } = await engine.call("changeTags", {
    id: Number(document_id),
    body: { add: ["collection:a", "collection:b"] },
  });
  assertEquals([status, body.error.code], [400, "invalid"]);
});

Deno.test("PATCH notes/{id}: keeps the front matter, which GET documents/{id} returns as metadata", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "---\nstatus: draft\n---\nThe meeting is on Monday" });
  const id = Number(document_id);
  const { body } = await engine.call("updateNote", { id, body: { text: "The meeting is on Friday" } });
  assertEquals(body.metadata, { status: "draft" });
  const { body: document } = await engine.call("getDocument", { id, query: { chunks: "false" } });
  assertEquals(document.metadata, { status: "draft" });
});

Deno.test("PATCH notes/{id}: replaces the text and keeps the id", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "The meeting is on Monday" });
  const id = Number(document_id);
  const { status, body } = await engine.call("updateNote", {
    id,
    body: { text: "The meeting is on Friday" },
  });
  assertEquals([status, body.document_id, body.chunks[0].text], [200, id, "The meeting is on Friday"]);
  assertNotEquals(body.updated_at, null);
  assertEquals((await engine.call("search", { body: { query: "Monday" } })).body.results, []);
});

Deno.test("GET openapi.json: returns the contract", async () => {
  await using engine = await EmbeddedEngine.open();
  const { status, headers, body } = await engine.fetch("GET", "/api/v1/openapi.json");
  assertEquals([status, body.openapi, headers.get("content-type")], [200, "3.1.0", "application/json"]);
  assertEquals((await engine.fetch("GET", "/api/v1/openapi.json")).body, body);
});

Deno.test("GET healthz: returns 200, and 503 after the engine closed", async () => {
  await using engine = await EmbeddedEngine.open();
  assertEquals((await engine.fetch("GET", "/healthz")).body, { status: "ok" });
  await engine.close();
  const { status, body } = await engine.fetch("GET", "/healthz");
  assertEquals([status, body.error.code], [503, "shutting_down"]);
});

Deno.test("HEAD: returns the headers of GET without a body", async () => {
  await using engine = await EmbeddedEngine.open();
  const { status, headers, body } = await engine.fetch("HEAD", "/api/v1/status");
  assertEquals([status, headers.get("content-type"), body], [200, "application/json", null]);
});
