import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { contentStep } from "../../../../src/engine/sqlite/store/content_steps.ts";
import {
  claimEmbeddingSet,
  countVectors,
  getDocument,
  listDocuments,
  longVersion,
  missingVectors,
  openForReading,
  type Operation,
  readSlice,
  readStatus,
  type StoreOperations,
  storeVectors,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { changeWithText } from "../../../../src/engine/sqlite/stage_text.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { draft, type JobFields, sha256, TestStore } from "./test_store.ts";

/** Number of chunks of a text that is removed in slices. */
const LONG = 300;

/** Returns chunks that each contain their number and a word. */
const chunksWith = (word: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => draft(`${word} chunk${from + i}`));

/** Queues and claims a file. Returns the id of its job. */
function claim(store: TestStore, text: string, fields: JobFields = {}): number {
  const sizeBytes = text.length;
  const file = { spoolFile: "spooled", filename: "book.pdf", contentHash: sha256(text), sizeBytes };
  store.write("createJob", { ...file, tags: [], ...fields });
  return store.write("claimFiles")[0]?.jobId ?? NaN;
}

/** Writes the chunks of a claimed file in slices. Returns the id of its text. */
function stage(store: TestStore, jobId: number, { word, title }: { word: string; title?: string }): number {
  let contentId: number | undefined;
  for (let position = 0; position < LONG; position += 100) {
    const chunks = chunksWith(word, position, position + 100);
    contentId = store.write("stageChunks", { jobId, contentId, title, position, chunks });
  }
  return contentId ?? NaN;
}

function finish(store: TestStore, jobId: number, contentId: number, title?: string): number {
  const document = { docType: "pdf" as const, tags: [], chunks: [], ...(title !== undefined && { title }) };
  store.write("finishFile", { jobId, contentId, ...document });
  return Number(store.job({ job_id: jobId }).document_id);
}

/** Stores a file in slices. Returns the id of its document. */
function addLongFile(store: TestStore, word: string, fields: JobFields = {}): number {
  const jobId = claim(store, word, fields);
  return finish(store, jobId, stage(store, jobId, { word }));
}

function removeHidden(store: TestStore): void {
  while (contentStep(store.db, 70)) store.check();
}

/** Texts of the chunks of a document, or of a former version. */
const textOf = (store: TestStore, id: number, version?: number) =>
  getDocument(store.db, id, { version })?.chunks?.map(({ text }) => text).join();

const expectedText = (word: string) => chunksWith(word, 0, LONG).map(({ text }) => text).join();

/** Traces of a word that a reader of the database sees. */
async function visible(store: TestStore, word: string): Promise<unknown> {
  const db = openForReading(store.dir);
  try {
    const searcher = new Searcher({ db });
    const { total, results, corrections } = await searcher.search({ query: word });
    const phrase = await searcher.search({ query: `"${word} chunk7"` });
    const misspelled = await searcher.search({ query: `${word}s` });
    return {
      total,
      found: results.map(({ document_id }) => document_id)[0],
      phrase: phrase.total,
      misspelled: misspelled.total,
      corrections,
      listed: listDocuments(db, { limit: 10 }).total,
      status: readStatus(db).chunks,
    };
  } finally {
    db.close();
  }
}

Deno.test("nothing finds a text that is written in slices before it is finished", async () => {
  await using store = await TestStore.open();
  store.addNote("zebra");
  const before = await visible(store, "quagga");
  const jobId = claim(store, "a");
  const contentId = stage(store, jobId, { word: "quagga", title: "A book" });
  store.check();
  assertEquals(await visible(store, "quagga"), before);
  // Other writes are committed between the slices.
  store.addNote("okapi");
  assertEquals(store.find("okapi"), [2]);
  const id = finish(store, jobId, contentId, "A book");
  store.check();
  assertEquals([store.find("quagga"), store.find("book"), textOf(store, id)], [
    [id],
    [id],
    expectedText("quagga"),
  ]);
  const { total, phrase, found } = await visible(store, "quagga") as Record<string, unknown>;
  assertEquals([total, phrase, found], [LONG, 1, id]);
  assertEquals(getDocument(store.db, id, { offset: 298 })?.chunks?.map(({ index }) => index), [298, 299]);
  assertEquals([store.document(id).chunks_total, readStatus(store.db).chunks], [LONG, LONG + 2]);
});

Deno.test("a searcher that has seen the slices finds the text when it is finished, and not when it is replaced", async () => {
  await using store = await TestStore.open();
  using db = openForReading(store.dir);
  const searcher = new Searcher({ db });
  const find = async (query: string) => (await searcher.search({ query })).total;
  store.addNote("zebra");
  assertEquals(await find("zebra"), 1);
  const first = claim(store, "a", { sourcePath: "book" });
  const firstContent = stage(store, first, { word: "quagga" });
  assertEquals(await find("quagga"), 0);
  const id = finish(store, first, firstContent);
  assertEquals([await find("quagga"), await find('"quagga chunk299"'), await find("zebra")], [LONG, 1, 1]);
  const second = claim(store, "b", { sourcePath: "book" });
  const secondContent = stage(store, second, { word: "okapi" });
  assertEquals([await find("quagga"), await find("okapi")], [LONG, 0]);
  assertEquals(finish(store, second, secondContent), id);
  assertEquals([await find("quagga"), await find("okapi")], [0, LONG]);
  removeHidden(store);
  assertEquals([await find("quagga"), await find("okapi"), await find("zebra")], [0, LONG, 1]);
});

Deno.test("the text of a failed job leaves nothing", async () => {
  await using store = await TestStore.open();
  const jobId = claim(store, "a");
  stage(store, jobId, { word: "quagga" });
  assertEquals(contentStep(store.db), false);
  store.write("failJob", jobId, "timeout", "too slow");
  removeHidden(store);
  for (const table of ["chunks", "chunks_fts_docsize", "contents", "content_parts"]) {
    assertEquals([table, store.count(table)], [table, 0]);
  }
  const next = claim(store, "b");
  assertThrows(
    () => store.write("finishFile", { jobId: next, contentId: -1, docType: "pdf", tags: [], chunks: [] }),
    KnowledgeBaseError,
    "no staged text",
  );
});

Deno.test("the text of an interrupted job is removed after the next start", async () => {
  await using store = await TestStore.open();
  stage(store, claim(store, "a"), { word: "quagga" });
  store.db.exec("BEGIN");
  store.operations.recover();
  store.db.exec("COMMIT");
  const jobId = store.write("claimFiles")[0]?.jobId ?? NaN;
  const id = finish(store, jobId, stage(store, jobId, { word: "okapi" }));
  removeHidden(store);
  assertEquals([store.find("quagga"), store.find("okapi"), store.count("chunks")], [[], [id], LONG]);
});

Deno.test("a slice whose write is repeated is stored once", async () => {
  await using store = await TestStore.open();
  const jobId = claim(store, "a");
  const slice = { jobId, title: undefined, position: 0, chunks: chunksWith("quagga", 0, 10) };
  const contentId = store.write("stageChunks", { ...slice, contentId: undefined });
  store.write("stageChunks", { ...slice, contentId });
  assertEquals(textOf(store, finish(store, jobId, contentId))?.split(",").length, 10);
});

Deno.test("the text of a duplicate and of a conflict is discarded", async () => {
  await using store = await TestStore.open();
  store.addNote("zebra", { sourcePath: "taken", tags: ["collection:memory"] });
  const id = addLongFile(store, "quagga");
  const duplicate = claim(store, "quagga");
  assertEquals(finish(store, duplicate, stage(store, duplicate, { word: "quagga" })), id);
  const conflict = claim(store, "okapi", { sourcePath: "taken" });
  finish(store, conflict, stage(store, conflict, { word: "okapi" }));
  assertEquals(store.job({ job_id: conflict }).error_code, "conflict");
  removeHidden(store);
  assertEquals([store.count("chunks"), store.count("contents"), store.find("okapi")], [LONG + 1, 1, []]);
});

Deno.test("a replaced long text is hidden at once, and can be restored before and after it is packed", async () => {
  await using store = await TestStore.open();
  const id = addLongFile(store, "quagga", { sourcePath: "book" });
  const jobId = claim(store, "okapi", { sourcePath: "book" });
  const contentId = stage(store, jobId, { word: "okapi" });
  assertEquals([store.find("quagga"), store.find("okapi"), textOf(store, id)], [
    [id],
    [],
    expectedText("quagga"),
  ]);
  finish(store, jobId, contentId);
  do {
    store.check();
    assertEquals([store.find("quagga"), store.find("okapi")], [[], [id]]);
    assertEquals([textOf(store, id), textOf(store, id, 1)], [expectedText("okapi"), expectedText("quagga")]);
    assertEquals(readStatus(store.db).chunks, LONG);
  } while (contentStep(store.db, 70));
  assertEquals([store.count("chunks"), store.count("content_parts")], [LONG, 5]);
  store.write("restoreDocument", id, { version: 1 });
  store.check();
  assertEquals([store.find("quagga"), store.find("okapi"), textOf(store, id)], [
    [id],
    [],
    expectedText("quagga"),
  ]);
  removeHidden(store);
  assertEquals([textOf(store, id, 1), textOf(store, id, 2)], [expectedText("quagga"), expectedText("okapi")]);
});

Deno.test("a long document that was stored in one piece is replaced, deleted and restored in the same way", async () => {
  await using store = await TestStore.open();
  const [quagga, okapi] = ["quagga", "okapi"].map((word) => ({ chunks: chunksWith(word, 0, LONG) }));
  const id = Number(store.addFile("a", { sourcePath: "book" }, quagga).document_id);
  store.addFile("b", { sourcePath: "book" }, okapi);
  store.check();
  assertEquals([store.find("quagga"), store.find("okapi")], [[], [id]]);
  removeHidden(store);
  store.write("deleteDocument", id, {});
  store.check();
  assertEquals(store.find("okapi"), []);
  contentStep(store.db, 70);
  store.write("restoreDocument", id, {});
  store.check();
  removeHidden(store);
  assertEquals([store.find("okapi"), textOf(store, id)], [[id], expectedText("okapi")]);
  assertEquals(textOf(store, id, 1), expectedText("quagga"));
});

Deno.test("an erased long document leaves nothing", async () => {
  await using store = await TestStore.open();
  const id = addLongFile(store, "quagga", { sourcePath: "book" });
  addLongFile(store, "okapi", { sourcePath: "book" });
  contentStep(store.db, 70);
  store.write("deleteDocument", id, {});
  contentStep(store.db, 70);
  store.write("deleteDocument", id, { permanent: true });
  removeHidden(store);
  for (const table of ["chunks", "chunks_fts_docsize", "contents", "content_parts", "revisions"]) {
    assertEquals([table, store.count(table)], [table, 0]);
  }
});

Deno.test("vectors are made of visible chunks only, and hidden ones do not count", async () => {
  await using store = await TestStore.open();
  const identity = { model: "m", documentPrefix: "", dimensions: 2 };
  const set = claimEmbeddingSet(store.db, identity, { command: "", now: "2026-01-01T00:00:00.000Z" });
  const missing = () => missingVectors(store.db, set, { after: 0 }).others;
  const jobId = claim(store, "quagga", { sourcePath: "book" });
  const contentId = stage(store, jobId, { word: "quagga" });
  assertEquals([missing(), countVectors(store.db, set).total], [[], 0]);
  finish(store, jobId, contentId);
  assertEquals([missing().length, countVectors(store.db, set).total], [LONG, LONG]);
  const vector = new Float32Array([0, 1]);
  storeVectors(store.db, set, missing().map((chunkId, i) => ({ chunkId, vector: i === 0 ? null : vector })));
  assertEquals(countVectors(store.db, set), {
    dimensions: 2,
    embedded: LONG - 1,
    refused: 1,
    total: LONG,
  });
  addLongFile(store, "okapi", { sourcePath: "book" });
  const replaced = { dimensions: 2, embedded: 0, refused: 0, total: LONG };
  assertEquals(countVectors(store.db, set), replaced);
  contentStep(store.db, 70);
  assertEquals(countVectors(store.db, set), replaced);
  removeHidden(store);
  assertEquals(countVectors(store.db, set), replaced);
  assert(missing().length === LONG);
});

/** Restores a long version as a knowledge base does. */
function restoreInSlices(store: TestStore, id: number, version?: number): Promise<unknown> {
  const long = longVersion(store.db, id, version);
  if (!long) throw new Error("The version must be long");
  const write = <Op extends Operation>(op: Op, ...args: Parameters<StoreOperations[Op]>) =>
    Promise.try(() => store.write(op, ...args));
  const read = (from: number, limit: number) => {
    // Packs the text meanwhile.
    contentStep(store.db);
    return readSlice(store.db, { documentId: id, version: long.version, from, limit });
  };
  return changeWithText(
    write,
    { title: long.title, read },
    (contentId) =>
      write("restoreDocument", id, { version }, { staged: { version: long.version, contentId } }),
  );
}

Deno.test("a long version and a long deleted document are restored in slices", async () => {
  await using store = await TestStore.open();
  const id = addLongFile(store, "quagga", { sourcePath: "book" });
  addLongFile(store, "okapi", { sourcePath: "book" });
  await restoreInSlices(store, id, 1);
  store.check();
  assertEquals([store.find("quagga"), store.find("okapi"), textOf(store, id)], [
    [id],
    [],
    expectedText("quagga"),
  ]);
  store.write("deleteDocument", id, {});
  await restoreInSlices(store, id);
  removeHidden(store);
  assertEquals([store.find("quagga"), textOf(store, id)], [[id], expectedText("quagga")]);
  assertEquals(textOf(store, id, 2), expectedText("okapi"));
});

Deno.test("the slices of a change that fails are removed", async () => {
  await using store = await TestStore.open();
  const id = addLongFile(store, "quagga", { sourcePath: "book" });
  store.write("deleteDocument", id, {});
  store.addNote("zebra", { sourcePath: "book" });
  await assertRejects(() => restoreInSlices(store, id), KnowledgeBaseError, "book");
  removeHidden(store);
  assertEquals(store.count("chunks"), 1);
});
