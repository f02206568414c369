import { assert, assertEquals, assertThrows } from "@std/assert";
import { Document, DocumentPage, EngineStatus, JobPage } from "../../../../src/contract/mod.ts";
import {
  getDocument,
  getJob,
  listDocuments,
  listJobs,
  readStatus,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { sinceTime } from "../../../../src/engine/sqlite/store/read_documents.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { TestStore } from "./test_store.ts";

/** Returns the ids on each page of a listing. */
function pages(store: TestStore, query: Record<string, unknown>, limit: number): unknown[][] {
  const ids: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const page = DocumentPage.parse(
      listDocuments(store.db, { ...query, limit, ...(cursor === undefined ? {} : { cursor }) }),
    );
    ids.push(page.documents.map(({ document_id }) => document_id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

async function fiveDocuments(): Promise<TestStore> {
  const store = await TestStore.open();
  for (let i = 1; i <= 4; i++) {
    store.addNote(`note ${i}`, { tags: i % 2 ? ["odd"] : ["even", "collection:memory"] });
  }
  store.addFile("file", { tags: ["odd", "collection:documents"], sourcePath: "a/b.pdf" });
  return store;
}

Deno.test("documents are listed by their last modification or creation, newest first, in pages", async () => {
  await using store = await fiveDocuments();
  assertEquals(pages(store, {}, 2), [[5, 4], [3, 2], [1]]);
  store.write("changeTags", 2, { remove: [], add: ["touched"] });
  assertEquals(pages(store, {}, 2), [[2, 5], [4, 3], [1]]);
  assertEquals(pages(store, {}, 5), [[2, 5, 4, 3, 1]]);
});

Deno.test("documents of the same instant are listed once each", async () => {
  await using store = await fiveDocuments();
  store.db.exec("UPDATE documents SET created_at = '2026-01-01T00:00:00.000Z'");
  assertEquals(pages(store, {}, 2), [[5, 4], [3, 2], [1]]);
});

Deno.test("a cursor continues a listing while documents are added", async () => {
  await using store = await fiveDocuments();
  const { next_cursor } = listDocuments(store.db, { limit: 2 });
  store.addNote("new");
  const next = listDocuments(store.db, { limit: 2, cursor: String(next_cursor) });
  assertEquals(next.documents.map(({ document_id }) => document_id), [3, 2]);
  assertEquals(next.total, 6);
});

Deno.test("documents are filtered by path, tag, type and time, with a true total", async () => {
  await using store = await fiveDocuments();
  const created = store.document(4).created_at;
  const cases: [query: Record<string, unknown>, ids: number[]][] = [
    [{ source_path: "a/b.pdf" }, [5]],
    [{ source_path: "missing" }, []],
    [{ tag: "odd" }, [5, 3, 1]],
    [{ tag: "unknown" }, []],
    [{ doc_type: "note" }, [4, 3, 2, 1]],
    [{ tag: "odd", doc_type: "pdf" }, [5]],
    [{ since: created }, [5, 4]],
    [{ since: created, tag: "even" }, [4]],
    [{ since: "2026-01-01" }, [5, 4, 3, 2, 1]],
    [{ since: "2026-01-02" }, []],
  ];
  for (const [query, ids] of cases) {
    const { documents, total } = listDocuments(store.db, { ...query, limit: 1 });
    assertEquals([documents[0]?.document_id, total], [ids[0], ids.length]);
    assertEquals(pages(store, query, 2).flat(), ids);
  }
});

Deno.test("a common tag and a rare one list the same documents in the same order", async () => {
  await using store = await TestStore.open({ maxQueuedJobs: 5000 });
  for (let i = 0; i < 1100; i++) {
    store.operations.createJob({
      text: `note ${i}`,
      contentHash: "",
      sizeBytes: 9,
      tags: i < 5 ? ["common", "rare"] : ["common"],
    });
  }
  store.write("ingestNotes", 1100);
  store.db.exec("UPDATE documents SET created_at = '2027-01-01T00:00:00.000Z' WHERE id <= 5");
  const ids = pages(store, { tag: "rare" }, 3).flat();
  assertEquals(ids, [5, 4, 3, 2, 1]);
  assertEquals(
    listDocuments(store.db, { tag: "common", limit: 5 }).documents.map(({ document_id }) => document_id),
    ids,
  );
  assertEquals(pages(store, { tag: "common" }, 200).flat().length, 1100);
});

Deno.test("an invalid cursor is rejected", async () => {
  await using store = await fiveDocuments();
  const jobCursor = String(listJobs(store.db, { limit: 1 }).next_cursor);
  for (const cursor of ["x", "WzFd", "bnVsbA", "not base64!", jobCursor, "W10", "WyJhIiwxLjVd"]) {
    const error = assertThrows(
      () => listDocuments(store.db, { limit: 1, cursor }),
      KnowledgeBaseError,
      "cursor must be",
    );
    assertEquals(error.code, "invalid");
  }
  const documentCursor = String(listDocuments(store.db, { limit: 1 }).next_cursor);
  for (const cursor of ["x", documentCursor]) {
    assertThrows(() => listJobs(store.db, { limit: 1, cursor }), KnowledgeBaseError, "cursor must be");
  }
});

Deno.test("a document is read with all chunks, a range of them, or none", async () => {
  await using store = await TestStore.open();
  const text = Array.from({ length: 200 }, (_, i) => `Paragraph ${i} says something about subject ${i}.`)
    .join("\n\n");
  const id = Number(store.addNote(text).document_id);
  const whole = Document.parse(getDocument(store.db, id));
  const total = whole.chunks?.length ?? 0;
  assertEquals([whole.chunks_total, whole.chunks_offset, whole.chunk_count], [total, 0, total]);
  const page = getDocument(store.db, id, { offset: 2, limit: 3 });
  assertEquals(page?.chunks, whole.chunks?.slice(2, 5));
  assertEquals([page?.chunks_total, page?.chunks_offset], [total, 2]);
  assertEquals(getDocument(store.db, id, { offset: 10_000 })?.chunks, []);
  assertEquals(getDocument(store.db, id, { chunks: false })?.chunks, undefined);
  assertEquals(getDocument(store.db, 99), undefined);
});

Deno.test("jobs are listed newest first, by status, in pages", async () => {
  await using store = await fiveDocuments();
  store.write("createJob", { text: "waits", contentHash: "", sizeBytes: 5, tags: [] });
  const ids = (query: Parameters<typeof listJobs>[1]) => {
    const page = JobPage.parse(listJobs(store.db, query));
    return [page.jobs.map((job) => job.job_id), page.total, page.next_cursor === null];
  };
  assertEquals(ids({ limit: 4 }), [[6, 5, 4, 3], 6, false]);
  const cursor = String(listJobs(store.db, { limit: 4 }).next_cursor);
  assertEquals(ids({ limit: 4, cursor }), [[2, 1], 6, true]);
  assertEquals(ids({ limit: 4, status: "done" }), [[5, 4, 3, 2], 5, false]);
  assertEquals(ids({ limit: 4, status: "queued" }), [[6], 1, true]);
  assertEquals(ids({ limit: 4, status: "failed" }), [[], 0, true]);
  assertEquals(getJob(store.db, 99), undefined);
});

Deno.test("the status counts documents, chunks, tags and jobs", async () => {
  await using store = await fiveDocuments();
  store.addNote("odd one", { tags: ["collection:__proto__"] });
  store.write("createJob", { spoolFile: "one", contentHash: "", sizeBytes: 500, tags: [] });
  const { storage, ...counts } = readStatus(store.db);
  assertEquals(counts, {
    documents: {
      total: 6,
      by_type: { note: 5, pdf: 1 },
      by_collection: Object.fromEntries([["__proto__", 1], ["documents", 1], ["memory", 2]]),
      by_language: { und: 6 },
    },
    chunks: 6,
    tags: 5,
    top_tags: [{ tag: "odd", count: 3 }, { tag: "even", count: 2 }],
    trash: { documents: 0 },
    sources: { total: 0 },
    queue: { queued: 1, processing: 0, done: 6, failed: 0 },
  });
  assertEquals(storage.spool_bytes, 500);
  const { database } = store.dir;
  const log = (await Deno.stat(`${database}-wal`)).size;
  assert(log > 0);
  assertEquals(storage.database_bytes, (await Deno.stat(database)).size + log);
  EngineStatus.parse({ version: "3.0.0", ...counts, storage });
});

Deno.test("a date input is converted to an instant in UTC", () => {
  const cases = [
    ["2026-03-31", "2026-03-31T00:00:00.000Z"],
    ["2026-03-31T09:00:00Z", "2026-03-31T09:00:00.000Z"],
    ["2026-03-31T09:00:00", "2026-03-31T09:00:00.000Z"],
    ["2026-03-31T09:00", "2026-03-31T09:00:00.000Z"],
    ["2026-03-31T09:00:00.5+02:00", "2026-03-31T07:00:00.500Z"],
    ["9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59.999Z"],
    ["0000-01-01T00:00:00+12:00", "0000-01-01T00:00:00.000Z"],
  ];
  for (const [input, instant] of cases) assertEquals(sinceTime(input!), instant!);
});
