import { assert, assertEquals, assertExists } from "@std/assert";
import type { Source, SyncReport } from "../../../src/contract/mod.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";

/** Adds a folder as the source `docs`, and waits for its first synchronization. */
async function addDocs(engine: EmbeddedEngine, folder: TemporaryFolder, options = {}): Promise<Source> {
  const added = await engine.call("addSource", { body: { name: "docs", path: folder.path, ...options } });
  assertEquals(added.status, 200, JSON.stringify(added.body));
  return await sync(engine, added.body.source_id);
}

async function sync(engine: EmbeddedEngine, id = 1, body = {}): Promise<Source> {
  const { status, body: source } = await engine.call("syncSource", {
    id,
    body: { wait_seconds: 50, ...body },
  });
  assertEquals(status, 200, JSON.stringify(source));
  return source;
}

/** Returns the counts of a report that are not 0. */
function counts(report: SyncReport | null): Record<string, number> {
  assertExists(report);
  const { created, updated, renamed, deleted, unchanged, failed } = report;
  const all = { created, updated, renamed, deleted, unchanged, failed };
  return Object.fromEntries(Object.entries(all).filter(([, n]) => n > 0));
}

/** Returns the documents of the engine by path. */
async function documents(engine: EmbeddedEngine) {
  const { body } = await engine.call("queryDocuments", { body: { limit: 100 } });
  // deno-lint-ignore no-explicit-any -- any fields of a document
  return new Map<string, any>(body.documents.map((each: any) => [each.source_path, each]));
}

Deno.test("a folder becomes documents with its paths, titles, tags and metadata", async () => {
  await using folder = await temporaryFolder({
    "guide.md": "---\ntags: [howto]\nstatus: draft\n---\n# Guide\n\nPress the red button.\n",
    "notes/plain.txt": "A plain text.",
    "notes/same.txt": "A plain text.",
    "main.ts": "code",
    ".obsidian/app.md": "hidden",
  });
  await using engine = await EmbeddedEngine.open();
  const source = await addDocs(engine, folder, {
    collection: "manual",
    tags: ["team"],
    sections: { notes: "Loose notes" },
  });
  assertEquals(counts(source.last_sync), { unchanged: 3 });
  assertEquals([source.documents, source.state, source.location], [3, "idle", folder.path]);
  assertEquals(source.sections.map(({ name, description, documents }) => [name, description, documents]), [
    ["", null, 1],
    ["notes", "Loose notes", 2],
  ]);
  const stored = await documents(engine);
  assertEquals([...stored.keys()].sort(), ["docs/guide.md", "docs/notes/plain.txt", "docs/notes/same.txt"]);
  const guide = stored.get("docs/guide.md");
  assertEquals([guide.title, guide.source], ["Guide", "docs"]);
  assertEquals(guide.tags, ["collection:manual", "howto", "team"]);
  const { body } = await engine.call("getDocument", { id: guide.document_id });
  assertEquals(body.metadata.status, "draft");
  const found = await engine.call("search", { body: { query: "red button" } });
  assertEquals(found.body.results[0].document_id, guide.document_id);
});

Deno.test("created, changed, renamed and deleted files follow; ids and tags of others stay", async () => {
  await using folder = await temporaryFolder({
    "a.md": "---\ntags: [one, two]\n---\n# A\n\nFirst text.\n",
    "b.md": "# B\n\nSecond text.\n",
    "c/d.md": "# D\n\nThird text.\n",
  });
  await using engine = await EmbeddedEngine.open();
  await addDocs(engine, folder);
  const before = await documents(engine);
  const [a, b, d] = ["docs/a.md", "docs/b.md", "docs/c/d.md"].map((path) => before.get(path).document_id);
  await engine.call("changeTags", { id: a, body: { remove: [], add: ["mine"] } });

  await folder.write("a.md", "---\ntags: [two]\n---\n# A2\n\nChanged text.\n");
  await Deno.remove(`${folder.path}/b.md`);
  await Deno.rename(`${folder.path}/c`, `${folder.path}/e`);
  await folder.write("new.md", "# New\n");
  assertEquals(counts((await sync(engine)).last_sync), { created: 1, updated: 1, renamed: 1, deleted: 1 });
  const after = await documents(engine);
  assertEquals([...after.keys()].sort(), ["docs/a.md", "docs/e/d.md", "docs/new.md"]);
  assertEquals(after.get("docs/a.md").document_id, a);
  assertEquals(after.get("docs/a.md").title, "A2");
  assertEquals(after.get("docs/a.md").tags, ["collection:documents", "mine", "two"]);
  assertEquals(after.get("docs/e/d.md").document_id, d);
  const trash = await engine.call("listTrash");
  assertEquals(trash.body.documents.map((each: { document_id: number }) => each.document_id), [b]);
  // A deleted file's document that is restored is independent of the source.
  const restored = await engine.call("restoreDocument", { id: b, body: {} });
  assertEquals([restored.body.source_path, restored.body.source], ["docs/b.md", undefined]);
  assertEquals(counts((await sync(engine)).last_sync), { unchanged: 3 });
  await folder.write("b.md", "# B again\n");
  const conflict = await sync(engine);
  assertEquals(conflict.last_sync?.failures.map(({ path, code }) => [path, code]), [["b.md", "conflict"]]);
  assertEquals((await engine.call("getDocument", { id: b })).body.title, "B");
});

Deno.test("a missing or empty folder deletes nothing", async () => {
  await using folder = await temporaryFolder({ "docs/a.md": "# A\n" });
  await using engine = await EmbeddedEngine.open();
  await addDocs(engine, folder);
  await Deno.rename(`${folder.path}/docs`, `${folder.path}.away`);
  const empty = await sync(engine);
  assertEquals([empty.documents, empty.last_sync?.error], [
    1,
    "The folder is empty: check that its disk is mounted. Nothing was deleted",
  ]);
  await Deno.remove(folder.path);
  const missing = await sync(engine);
  assertEquals(missing.documents, 1);
  assert(missing.last_sync?.error?.startsWith("Cannot list the folder: No such file or directory"));
  await Deno.mkdir(folder.path);
  await Deno.rename(`${folder.path}.away`, `${folder.path}/docs`);
  assertEquals(counts((await sync(engine)).last_sync), { unchanged: 1 });
});
