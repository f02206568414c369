import { sourceStore } from "../../../../src/engine/sqlite/source_store.ts";
import {
  listSources,
  type Operation,
  sourceCounts,
  sourceFiles,
  type StoreOperations,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { migrate } from "../../../../src/engine/sqlite/store/migrate.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { NewSource } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError, type NewSourceDocument } from "../../../../src/engine/knowledge_base/mod.ts";
import { repair } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { draft, sha256, TestStore } from "./test_store.ts";

/** Adds a source. Returns its id. */
function addSource(store: TestStore, name = "docs"): number {
  const { name: _, path = "", ...options } = NewSource.parse({ name, path: `/${name}` });
  return store.write("putSource", { name, type: "folder", location: path, options, configured: false }).id;
}

/** Returns a file with a text. */
function file(sourceId: number, path: string, text: string, tags: string[] = []): NewSourceDocument {
  return {
    sourceId,
    path,
    state: { size: text.length, mtime: 1, ctime: 1, checkedAt: 10_000 },
    contentHash: sha256(text),
    document: { docType: "markdown", tags, chunks: [draft(text)] },
    givenTags: ["collection:documents"],
  };
}

Deno.test("a database without sources keeps its documents and gets the tables", async () => {
  const dir = await createDataDir(await Deno.makeTempDir());
  try {
    const now = () => "2026-01-01T00:00:00.000Z";
    const old = new DatabaseSync(dir.database);
    migrate(old, MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === "sources")), now);
    old.exec(`INSERT INTO documents (title, doc_type, content_hash, size_bytes, chunk_count, created_at)
      VALUES ('Old', 'text', '${sha256("old")}', 3, 0, '${now()}')`);
    old.close();
    const db = openForWriting(dir, now);
    assertEquals({ ...db.prepare("SELECT title, source FROM documents").get() }, {
      title: "Old",
      source: null,
    });
    assertEquals(listSources(db), []);
    db.close();
  } finally {
    await Deno.remove(dir.path, { recursive: true });
  }
});

Deno.test("a file and its document are stored, moved, failed and removed together", async () => {
  await using store = await TestStore.open();
  const id = addSource(store);
  const { documentId } = store.write("storeSourceFile", file(id, "a/x.md", "one", ["t"]));
  assertEquals(sourceCounts(store.db, id), { documents: 1, sections: [{ name: "a", documents: 1 }] });
  assertEquals(store.document(documentId).tags, ["collection:documents", "t"]);
  const state = { size: 3, mtime: 2, ctime: 2, checkedAt: 20_000 };
  store.write("moveSourceFile", { sourceId: id, path: "a/x.md", to: "y.md", state, mustRead: false });
  assertEquals(store.document(documentId).source_path, "docs/y.md");
  const content = { sourceId: id, path: "y.md", state, contentHash: null };
  store.write("failSourceFile", content, { code: "no_text", message: "empty" });
  assertEquals([store.count("documents"), store.count("trash")], [0, 1]);
  assertEquals(
    sourceFiles(store.db, id).map(({ path, documentId, error }) => [path, documentId, error?.code]),
    [
      ["y.md", null, "no_text"],
    ],
  );
  assertEquals(store.write("storeSourceFile", file(id, "y.md", "two")), { documentId, outcome: "created" });
  assertEquals([store.document(documentId).version, store.count("trash")], [3, 0]);
  assertEquals(store.write("removeSourceFiles", id, ["y.md", "none.md"]), 1);
  assertEquals([store.count("documents"), store.count("source_files")], [0, 0]);
  store.check();
});

Deno.test("a path of another document is a conflict, and nothing is stored", async () => {
  await using store = await TestStore.open();
  const id = addSource(store);
  const note = store.addNote("mine", { sourcePath: "docs/a.md" }).document_id;
  const stored = () => store.write("storeSourceFile", file(id, "a.md", "file"));
  assertEquals(assertThrows(stored, KnowledgeBaseError).code, "conflict");
  assertEquals([store.count("documents"), store.count("source_files")], [1, 0]);
  store.write("storeSourceFile", file(id, "b.md", "file"));
  const state = { size: 4, mtime: 2, ctime: 2, checkedAt: 20_000 };
  const move = () =>
    store.write("moveSourceFile", { sourceId: id, path: "b.md", to: "a.md", state, mustRead: false });
  assertEquals(assertThrows(move, KnowledgeBaseError).code, "conflict");
  assertEquals(sourceFiles(store.db, id).map(({ path }) => path), ["b.md"]);
  assertEquals(store.document(note).title, "mine");
});

Deno.test("repair keeps sources, and a source whose row is lost leaves independent documents", async () => {
  await using store = await TestStore.open();
  const [docs, lost] = [addSource(store), addSource(store, "lost")];
  store.write("storeSourceFile", file(docs, "a.md", "one"));
  const other = store.write("storeSourceFile", file(lost, "b.md", "two")).documentId;
  store.db.exec("PRAGMA foreign_keys = OFF; DELETE FROM sources WHERE name = 'lost'");
  store.recordCommit();
  store.db.close();
  const { rows } = await repair(store.dir.path);
  assertEquals([rows["sources"], rows["documents"]], [1, 2]);
  const db = openForWriting(store.dir, () => "2026-01-01T00:00:00.000Z");
  assertEquals(sourceFiles(db, docs).map(({ path }) => path), ["a.md"]);
  assertEquals(db.prepare("SELECT source FROM documents WHERE id = ?").get(other)?.["source"], null);
  assertEquals(db.prepare("PRAGMA foreign_key_check").all(), []);
  db.close();
});

Deno.test("a long text of a file is stored in slices, and replaces the former one", async () => {
  await using store = await TestStore.open();
  const id = addSource(store);
  const operations: string[] = [];
  const write = <Op extends Operation>(op: Op, ...args: Parameters<StoreOperations[Op]>) =>
    Promise.try(() => {
      operations.push(op);
      return store.write(op, ...args);
    });
  const sources = sourceStore({ write, read: (work) => Promise.try(work, store.db) });
  const chunks = Array.from({ length: 300 }, (_, i) => draft(`quagga ${i}`));
  const long = file(id, "long.md", "long");
  const { documentId } = await sources.storeFile(file(id, "long.md", "short"));
  await sources.storeFile({ ...long, document: { ...long.document, chunks } });
  assertEquals(new Set(operations.slice(1)), new Set(["stageText", "storeSourceFile"]));
  assertEquals(store.document(documentId).chunks?.map(({ text }) => text), chunks.map(({ text }) => text));
  assertEquals([store.find("quagga"), store.find("short"), store.find("title : long")], [
    [documentId],
    [],
    [documentId],
  ]);
  store.check();
});
