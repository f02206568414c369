import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { commitGroup } from "../../../../src/engine/sqlite/writer/commit_group.ts";
import { lastCommit, savepoint, TransactionLostError } from "../../../../src/engine/sqlite/store/mod.ts";
import type { Job } from "../../../../src/contract/mod.ts";
import type { NewJob } from "../../../../src/engine/knowledge_base/mod.ts";
import type { WriteCall, WriteResult } from "../../../../src/engine/sqlite/writer/protocol.ts";
import { draft, sha256, TestStore } from "../store/test_store.ts";

const call = (operation: WriteCall["operation"], ...args: unknown[]): WriteCall => ({ operation, args });
const createNote = (text: string) =>
  call("createJob", { text, contentHash: sha256(text), sizeBytes: text.length, tags: [] });
const code = (result: WriteResult | undefined) => result && "error" in result ? result.error.code : "done";

Deno.test("a call that fails does not roll back others in its commit", async () => {
  await using store = await TestStore.open();
  const calls = [
    createNote("one"),
    call("deleteDocument", 99),
    call("createJob", { contentHash: "", sizeBytes: 0, tags: [] }),
    createNote("two"),
    call("ingestNotes", 10),
    // Removes the old chunks, then fails because the title is not a string.
    call("updateNote", 1, { text: "changed", title: { not: "a title" } }),
    call("changeTags", 2, { remove: [], add: ["after"] }),
  ];
  const results = commitGroup(store.db, store.operations, calls);
  assertEquals(results.map(code), ["done", "not_found", "invalid", "done", "done", "internal", "done"]);
  assertEquals([store.document(1).title, store.document(2).tags], ["one", ["after"]]);
  assertEquals([store.find("one"), store.find("changed")], [[1], []]);
  store.check();
});

Deno.test("an error after the commit does not hide its results", async () => {
  await using store = await TestStore.open();
  const fail = () => {
    throw new Error("out of memory");
  };
  assertEquals(commitGroup(store.db, store.operations, [createNote("one")], fail).map(code), ["done"]);
  assertEquals([store.count("jobs"), store.db.isTransaction], [1, false]);
});

const addNote = (text: string, fields: Partial<NewJob> = {}) =>
  call("addNote", { text, contentHash: sha256(text), sizeBytes: text.length, tags: [], ...fields });
const stateOf = (result: WriteResult | undefined) =>
  result && "result" in result ? [(result.result as Job).status, (result.result as Job).document_id] : result;

Deno.test("short notes are stored with their jobs, in one commit", async () => {
  await using store = await TestStore.open();
  const fields = { title: "T", sourcePath: "p", tags: ["b", "a"], actor: "Ann" };
  const results = commitGroup(store.db, store.operations, [
    addNote("one", fields),
    addNote("two"),
    addNote("two", { tags: ["c"] }),
    addNote("three", { sourcePath: "p" }),
  ]);
  assertEquals(results.map(stateOf), [["done", 1], ["done", 2], ["done", 2], ["done", 1]]);
  for (const result of results) {
    assert("result" in result);
    const job = result.result as Job;
    assertEquals(job, store.job(job));
  }
  assertEquals(results.map((each) => "result" in each && (each.result as Job).outcome), [
    "created",
    "created",
    "duplicate",
    "replaced",
  ]);
  const { title, tags, source_path } = store.document(1);
  assertEquals([title, tags, source_path], ["three", ["a", "b"], "p"]);
  assertEquals([store.find("one"), store.find("two"), store.find("three")], [[], [2], [1]]);
  assertEquals(store.operations.takeEndedJobs(), [1, 2, 3, 4]);
  store.check();
});

Deno.test("a note that cannot be stored is queued with the notes after it, and the group is committed", async () => {
  await using store = await TestStore.open();
  const results = commitGroup(store.db, store.operations, [
    createNote("waits"),
    call("ingestNotes", 10),
    addNote("before"),
    addNote(" "),
    addNote("after"),
    call("changeTags", 1, { remove: [], add: ["x"] }),
    addNote("queued, too"),
  ]);
  const queued = ["queued", null];
  assertEquals(results.slice(2, 5).map(stateOf), [["done", 2], queued, queued]);
  assertEquals([code(results[5]), stateOf(results[6])], ["done", queued]);
  assertEquals(store.write("ingestNotes", 10), { queuedNotes: 0, queuedFiles: 0 });
  const statuses = [2, 3, 4, 5].map((job_id) => store.job({ job_id }).status);
  assertEquals(statuses, ["done", "failed", "done", "done"]);
  store.check();
});

Deno.test("files share a savepoint, and one that fails does not fail the others", async () => {
  await using store = await TestStore.open();
  const spooled = (hash: string) =>
    call("createJob", { spoolFile: hash, filename: "a.md", contentHash: hash, sizeBytes: 1, tags: [] });
  const finish = (jobId: number, text: string) =>
    call("finishFile", { jobId, docType: "markdown", tags: [], chunks: [draft(text)] });
  const results = commitGroup(store.db, store.operations, [
    ...["a", "b", "c"].map(spooled),
    call("claimFiles", { max: 2 }),
    finish(1, "apple"),
    finish(3, "cherry"),
    finish(2, "banana"),
    call("claimFiles", { max: 2 }),
  ]);
  assertEquals(results.map(code), ["done", "done", "done", "done", "done", "invalid", "done", "done"]);
  assertEquals([store.find("apple"), store.find("banana"), store.find("cherry")], [[1], [2], []]);
  assertEquals([1, 2, 3].map((job_id) => store.job({ job_id }).status), ["done", "done", "processing"]);
  store.check();
});

Deno.test("a note whose path another document has is queued, and fails with the conflict", async () => {
  await using store = await TestStore.open();
  commitGroup(store.db, store.operations, [addNote("one", { sourcePath: "p", tags: ["collection:a"] })]);
  const other = addNote("two", { sourcePath: "p", tags: ["collection:b"] });
  const [conflict] = commitGroup(store.db, store.operations, [other]);
  assertEquals(stateOf(conflict), ["queued", null]);
  store.write("ingestNotes", 10);
  assertEquals(store.job({ job_id: 2 }).error_code, "conflict");
});

Deno.test("an internal error hides SQLite from the caller, and reports it to the log", async () => {
  await using store = await TestStore.open();
  const [failed] = commitGroup(store.db, store.operations, [
    call("updateNote", { not: "an id" }, { text: "x" }),
  ]);
  assert(failed && "error" in failed);
  assertEquals(
    failed.error.message,
    "Cannot write to the store. Nothing was changed: see the log of the engine",
  );
  assertMatch(failed.error.cause ?? "", /Error/);
});

Deno.test("a full disk fails its calls and keeps existing data, and writes work again with free space", async () => {
  await using store = await TestStore.open();
  store.addNote("before");
  const pages = Number(store.db.prepare("PRAGMA page_count").get()?.page_count);
  store.db.exec(`PRAGMA max_page_count = ${pages + 8}`);
  const large = "word ".repeat(20_000);
  const results = commitGroup(store.db, store.operations, [createNote(large), createNote(`${large}!`)]);
  assertEquals(results.map(code), ["storage_full", "storage_full"]);
  const [result] = results;
  assert(result && "error" in result);
  assertMatch(
    result.error.message,
    /disk of the engine is full or failing\. Nothing was changed: free some space/,
  );
  assertEquals(store.count("jobs"), 1);
  store.check();
  store.db.exec("PRAGMA max_page_count = 100000");
  assertEquals(commitGroup(store.db, store.operations, [createNote(large)]).map(code), ["done"]);
});

Deno.test("a note stays queued while the disk is full, and is ingested later", async () => {
  await using store = await TestStore.open();
  const text = "word ".repeat(20_000);
  const [created] = commitGroup(store.db, store.operations, [createNote(text)]);
  assertEquals(code(created), "done");
  const pages = Number(store.db.prepare("PRAGMA page_count").get()?.page_count);
  store.db.exec(`PRAGMA max_page_count = ${pages + 2}`);
  assertEquals(commitGroup(store.db, store.operations, [call("ingestNotes", 5)]).map(code), ["storage_full"]);
  assertEquals([store.job({ job_id: 1 }).status, store.count("documents")], ["queued", 0]);
  store.check();
  store.db.exec("PRAGMA max_page_count = 100000");
  assertEquals(store.write("ingestNotes", 5).queuedNotes, 0);
  assertEquals(store.job({ job_id: 1 }).status, "done");
  store.check();
});

Deno.test("a commit that fails rolls back and fails all of its calls", async () => {
  await using store = await TestStore.open();
  // A deferred foreign key is checked at COMMIT.
  store.db.exec(`
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER poison AFTER INSERT ON jobs WHEN NEW.title = 'poison' BEGIN INSERT INTO child VALUES (7); END;
  `);
  const poison = call("createJob", { text: "x", contentHash: "", sizeBytes: 1, tags: [], title: "poison" });
  assertEquals(
    commitGroup(store.db, store.operations, [createNote("one"), poison, createNote("two")]).map(code),
    ["internal", "internal", "internal"],
  );
  assertEquals(store.count("jobs"), 0);
  assertEquals(commitGroup(store.db, store.operations, [createNote("three")]).map(code), ["done"]);
  assertEquals(store.write("ingestNotes", 5), { queuedNotes: 0, queuedFiles: 0 });
});

Deno.test("calls after a lost transaction do not run outside of one", async () => {
  await using store = await TestStore.open();
  // As SQLite does by itself on some disk errors.
  store.db.exec(`CREATE TRIGGER lost AFTER INSERT ON jobs WHEN NEW.title = 'lost'
    BEGIN SELECT RAISE(ROLLBACK, 'disk I/O error'); END`);
  const lost = call("createJob", { text: "x", contentHash: "", sizeBytes: 1, tags: [], title: "lost" });
  const results = commitGroup(store.db, store.operations, [createNote("one"), lost, createNote("two")]);
  assertEquals(results.map(code), ["storage_full", "storage_full", "storage_full"]);
  assertEquals(store.count("jobs"), 0);
  assertEquals(
    store.write("createJob", { text: "x", contentHash: "", sizeBytes: 1, tags: [] }).status,
    "queued",
  );
});

Deno.test("a savepoint whose transaction is lost runs nothing outside of one", async () => {
  await using store = await TestStore.open();
  let hasRun = false;
  assertThrows(() => savepoint(store.db, () => hasRun = true), TransactionLostError);
  assertEquals([hasRun, store.db.isTransaction], [false, false]);
});

Deno.test("notes stay queued while memory is short, and the caller may retry", async () => {
  await using store = await TestStore.open();
  store.db.exec(`CREATE TRIGGER short BEFORE INSERT ON documents
    BEGIN SELECT RAISE(ABORT, 'out of memory'); END`);
  const results = commitGroup(store.db, store.operations, [createNote("one"), call("ingestNotes", 5)]);
  assertEquals(results.map(code), ["done", "queue_full"]);
  assertEquals(store.job({ job_id: 1 }).status, "queued");
  store.db.exec("DROP TRIGGER short");
  store.write("ingestNotes", 5);
  assertEquals(store.job({ job_id: 1 }).status, "done");
});

Deno.test("if memory is short for one call, nothing of its transaction is committed, and the others run again", async () => {
  await using store = await TestStore.open();
  store.addNote("first");
  store.db.exec(`CREATE TRIGGER short BEFORE INSERT ON documents WHEN NEW.title = 'short'
    BEGIN SELECT RAISE(ABORT, 'out of memory'); END`);
  const calls = [
    addNote("one"),
    call("changeTags", 1, { remove: [], add: ["tagged"] }),
    addNote("two", { title: "short" }),
    call("deleteDocument", 99),
    createNote("three"),
  ];
  const commits: number[] = [];
  const before = lastCommit(store.db);
  const results = commitGroup(store.db, store.operations, calls, (commit) => commits.push(commit));
  assertEquals(results.map(code), ["done", "done", "done", "not_found", "done"]);
  assertEquals([stateOf(results[0]), stateOf(results[2])], [["done", 2], ["queued", null]]);
  // A transaction for each: a savepoint can leave what FTS5 could not read for the commit of the others.
  assertEquals(commits, [1, 2, 3, 4, 5].map((n) => before + n));
  assertEquals([store.document(1).tags, store.count("jobs"), store.db.isTransaction], [["tagged"], 4, false]);
  store.check();
});

Deno.test("a savepoint in which memory was short ends its transaction", async () => {
  await using store = await TestStore.open();
  store.db.exec("BEGIN");
  const fail = () => {
    throw new Error("out of memory");
  };
  assertThrows(() => savepoint(store.db, fail), TransactionLostError);
  store.db.exec("ROLLBACK");
});
