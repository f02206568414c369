import { assertEquals } from "@std/assert";
import { WorkQueue } from "../../../../src/engine/sqlite/backfill/work_queue.ts";
import { claimEmbeddingSet } from "../../../../src/engine/sqlite/store/embedding_sets.ts";
import { isImporting } from "../../../../src/engine/sqlite/store/read_jobs.ts";
import { storeVectors } from "../../../../src/engine/sqlite/store/vectors.ts";
import { draft, TestStore } from "../store/test_store.ts";

const VECTOR = Float32Array.of(0.6, 0.8);

/** A store with an empty set of vectors. */
async function openStore(): Promise<TestStore & { set: number }> {
  const store = await TestStore.open();
  const claim = { command: "", now: "2026-01-01T00:00:00.000Z" };
  return Object.assign(store, {
    set: claimEmbeddingSet(store.db, { model: "A", documentPrefix: "" }, claim),
  });
}

/** Adds a file, and returns the ids of its chunks. */
function addFile(store: TestStore, name: string, chunks = 1): number[] {
  const first = lastChunk(store) + 1;
  store.addFile(name, {}, { chunks: Array.from({ length: chunks }, (_, i) => draft(`${name} ${i}`)) });
  return Array.from({ length: chunks }, (_, i) => first + i);
}

/** Writes a chunk of a file, which is finished later. Returns its id, and a function that finishes it. */
function stageFile(store: TestStore, name: string): { chunk: number; finish: () => void } {
  store.write("createJob", { spoolFile: name, contentHash: name, sizeBytes: 1, tags: [] });
  const jobId = store.write("claimFiles")[0]?.jobId ?? NaN;
  const slice = { contentId: undefined, title: name, position: 0, chunks: [draft(name)] };
  const contentId = store.write("stageChunks", { jobId, ...slice });
  const finish = () => store.write("finishFile", { jobId, contentId, docType: "pdf", tags: [], chunks: [] });
  return { chunk: lastChunk(store), finish };
}

function addNote(store: TestStore, text: string): number {
  store.addNote(text);
  return lastChunk(store);
}

function lastChunk(store: TestStore): number {
  return Number(store.db.prepare("SELECT coalesce(max(id), 0) AS n FROM chunks").get()?.n);
}

/** Claims chunks one by one until none is left. */
function claimAll(queue: WorkQueue): number[] {
  const claimed: number[] = [];
  while (true) {
    const { ids, isEnd } = queue.claim(1);
    claimed.push(...ids);
    if (isEnd) return claimed;
  }
}

function embed(store: TestStore & { set: number }, ids: readonly number[]): void {
  storeVectors(store.db, store.set, ids.map((chunkId) => ({ chunkId, vector: VECTOR })));
}

Deno.test("new notes come first, then new files, then earlier notes and files, the newest first", async () => {
  await using store = await openStore();
  const earlier = {
    file: addFile(store, "a"),
    notes: [addNote(store, "b"), addNote(store, "c")],
    laterFile: addFile(store, "d"),
  };
  const queue = new WorkQueue(store.db, () => store.set);
  queue.refresh();
  const file = addFile(store, "e");
  const notes = [addNote(store, "f"), addNote(store, "g")];
  assertEquals(claimAll(queue), [
    ...notes.toReversed(),
    ...file,
    ...earlier.notes.toReversed(),
    ...earlier.laterFile,
    ...earlier.file,
  ]);
});

Deno.test("a note that is added during an import does not wait for it", async () => {
  await using store = await openStore();
  const queue = new WorkQueue(store.db, () => store.set);
  queue.refresh();
  const imported = addFile(store, "import", 3000);
  const claimed = [queue.claim(1), queue.claim(1)].flatMap(({ ids }) => ids);
  const note = addNote(store, "note");
  assertEquals(queue.claim(8).ids, [note]);
  assertEquals([...claimed, note, ...claimAll(queue)].toSorted((a, b) => a - b), [...imported, note]);
});

Deno.test("a small file does not wait for an import that came before it", async () => {
  await using store = await openStore();
  addFile(store, "import", 5000);
  const queue = new WorkQueue(store.db, () => store.set);
  queue.refresh();
  queue.claim(8);
  const file = addFile(store, "report");
  assertEquals(queue.claim(8).ids, file);
});

Deno.test("chunks with a vector are not claimed, and a new queue resumes with the others", async () => {
  await using store = await openStore();
  const ids = addFile(store, "a", 4500);
  embed(store, ids.filter((id) => id !== 7 && id !== 2100 && id !== 4499));
  const queue = new WorkQueue(store.db, () => store.set);
  queue.refresh();
  assertEquals(claimAll(queue), [4499, 2100, 7]);
  const resumed = new WorkQueue(store.db, () => store.set);
  resumed.refresh();
  embed(store, [4499]);
  assertEquals(claimAll(resumed), [2100, 7]);
});

Deno.test("a complete set is not scanned, and chunks added later are", async () => {
  await using store = await openStore();
  embed(store, addFile(store, "a", 3));
  const queue = new WorkQueue(store.db, () => store.set);
  queue.refresh();
  assertEquals(queue.claim(8), { setId: store.set, ids: [], isEnd: true, isDeferred: false });
  const note = addNote(store, "note");
  queue.refresh();
  assertEquals(queue.claim(8), { setId: store.set, ids: [note], isEnd: false, isDeferred: false });
});

Deno.test("without a set nothing is claimed, and with one everything", async () => {
  await using store = await openStore();
  const ids = addFile(store, "a", 2);
  const sets: number[] = [];
  const queue = new WorkQueue(store.db, () => sets[0]);
  queue.refresh();
  assertEquals(queue.claim(8), { setId: 0, ids: [], isEnd: true, isDeferred: false });
  sets.push(store.set);
  assertEquals(claimAll(queue), ids.toReversed());
});

Deno.test("during an import, files get one batch every 10 seconds, and notes do not wait", async () => {
  await using store = await openStore();
  let now = 0;
  let isImporting = true;
  const queue = new WorkQueue(store.db, () => store.set, { isImporting: () => isImporting, now: () => now });
  queue.refresh();
  const [first = 0, second = 0, third = 0] = addFile(store, "import", 3);
  assertEquals(queue.claim(1).ids, [third]);
  assertEquals(queue.claim(1), { setId: store.set, ids: [], isEnd: false, isDeferred: true });
  const note = addNote(store, "note");
  assertEquals(queue.claim(1).ids, [note]);
  now = 10_000;
  assertEquals(queue.claim(1).ids, [second]);
  assertEquals(queue.claim(1).isDeferred, true);
  isImporting = false;
  assertEquals(queue.claim(1).ids, [first]);
});

Deno.test("an import is running while many files are queued", async () => {
  await using store = await openStore();
  const queueFile = (n: number) =>
    store.write("createJob", { spoolFile: `${n}`, contentHash: `${n}`, sizeBytes: 1, tags: [] });
  for (let n = 0; n < 7; n++) queueFile(n);
  assertEquals(isImporting(store.db), false);
  queueFile(7);
  assertEquals(isImporting(store.db), true);
  store.write("claimFiles");
  assertEquals(isImporting(store.db), false);
});

Deno.test("chunks of a text that is written in slices are claimed once it is complete", async () => {
  await using store = await openStore();
  const staged = stageFile(store, "a");
  const queue = new WorkQueue(store.db, () => store.set);
  const note = addNote(store, "b");
  assertEquals(claimAll(queue), [note]);
  staged.finish();
  assertEquals(claimAll(queue), [staged.chunk]);
  assertEquals(claimAll(queue), []);
});

Deno.test("a text of more chunks than a call has arguments is claimed whole", async () => {
  await using store = await openStore();
  const queue = new WorkQueue(store.db, () => store.set);
  queue.refresh();
  const { chunk, finish } = stageFile(store, "long");
  assertEquals(queue.claim(8).ids, []);
  const count = 200_000;
  store.db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
    INSERT INTO chunks (document_id, position, text, heading_path, search_heading)
      SELECT document_id, i, text, heading_path, search_heading FROM chunks, n WHERE id = ${chunk}`);
  while (!queue.claim(8).isEnd);
  finish();
  let claimed = 0;
  for (let batch = queue.claim(count); !batch.isEnd; batch = queue.claim(count)) claimed += batch.ids.length;
  assertEquals(claimed, count);
});
