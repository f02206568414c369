import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname } from "node:path";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { counts, failures, runSteps, TestSource } from "./support.ts";

Deno.test("synchronizing a folder", async (t) => {
  await using engine = await EmbeddedEngine.open();
  await runSteps(t, engine, {
    "a folder becomes documents with paths, titles, tags and metadata": async () => {
      await using folder = await temporaryFolder({
        "guide.md": "---\ntags: [howto]\nstatus: draft\n---\n# Guide\n\nPress the red button.\n",
        "notes/plain.txt": "A plain text.",
        "notes/same.txt": "A plain text.",
        "main.ts": "code",
        ".obsidian/app.md": "hidden",
      });
      const source = await TestSource.add(engine, folder, {
        name: "guides",
        collection: "manual",
        tags: ["team"],
        sections: { notes: "Loose notes" },
      });
      const state = await source.sync();
      assertEquals(counts(state), { unchanged: 3 });
      assertEquals([state.documents, state.state, state.location], [3, "idle", folder.path]);
      assertEquals(state.sections.map(({ name, description, documents }) => [name, description, documents]), [
        ["", null, 1],
        ["notes", "Loose notes", 2],
      ]);
      assertEquals([...(await source.documents()).keys()].sort(), [
        "guide.md",
        "notes/plain.txt",
        "notes/same.txt",
      ]);
      const guide = await source.document("guide.md");
      assertEquals([guide.title, guide.source, guide.metadata.status], ["Guide", "guides", "draft"]);
      assertEquals(guide.tags, ["collection:manual", "howto", "team"]);
      const found = await engine.call("search", { body: { query: "red button" } });
      assertEquals(found.body.results[0].document_id, guide.document_id);
    },

    "created, changed, renamed and deleted files follow; ids and tags of others stay": async () => {
      await using folder = await temporaryFolder({
        "a.md": "---\ntags: [one, two]\n---\n# A\n\nFirst text.\n",
        "b.md": "# B\n\nSecond text.\n",
        "c/d.md": "# D\n\nThird text.\n",
      });
      const source = await TestSource.add(engine, folder, { name: "changes" });
      const before = await source.documents();
      const [a, b, d] = ["a.md", "b.md", "c/d.md"].map((path) => before.get(path).document_id);
      await source.edit("a.md", { add_tags: ["mine"] });

      await folder.write("a.md", "---\ntags: [two]\n---\n# A2\n\nChanged text.\n");
      await Deno.remove(`${folder.path}/b.md`);
      await Deno.rename(`${folder.path}/c`, `${folder.path}/e`);
      await folder.write("new.md", "# New\n");
      assertEquals(counts(await source.sync()), { created: 1, updated: 1, renamed: 1, deleted: 1 });
      const after = await source.documents();
      assertEquals([...after.keys()].sort(), ["a.md", "e/d.md", "new.md"]);
      assertEquals([after.get("a.md").document_id, after.get("e/d.md").document_id], [a, d]);
      assertEquals(after.get("a.md").title, "A2");
      assertEquals(after.get("a.md").tags, ["collection:documents", "mine", "two"]);

      // A deleted file's document that is restored is independent of the source.
      const restored = await engine.call("restoreDocument", { id: b, body: {} });
      assertEquals([restored.body.source_path, restored.body.source], ["changes/b.md", undefined]);
      assertEquals(counts(await source.sync()), { unchanged: 3 });
      // Until the file returns.
      await folder.write("b.md", "# B again\n");
      assertEquals(counts(await source.sync()), { updated: 1, unchanged: 3 });
      const returned = (await engine.call("getDocument", { id: b })).body;
      assertEquals([returned.title, returned.source, returned.version], ["B again", "changes", 3]);
    },

    "a renamed file gets the title and type of its new name": async () => {
      await using folder = await temporaryFolder({ "old.txt": "Text without a title of its own." });
      const source = await TestSource.add(engine, folder, { name: "renames" });
      const before = await source.document("old.txt");
      await Deno.rename(`${folder.path}/old.txt`, `${folder.path}/new.md`);
      assertEquals(counts(await source.sync()), { renamed: 1 });
      const after = await source.document("new.md");
      assertEquals([before.title, before.doc_type, after.title, after.doc_type], [
        "old.txt",
        "text",
        "new.md",
        "markdown",
      ]);
      assertEquals(after.document_id, before.document_id);
    },

    "a change that leaves size and time as they were is found": async () => {
      await using folder = await temporaryFolder({ "a.md": "# Before\n" });
      const source = await TestSource.add(engine, folder, { name: "racy" });
      const path = `${folder.path}/a.md`;
      const { mtime } = await Deno.stat(path);
      await folder.write("a.md", "# After!\n");
      await Deno.utime(path, mtime!, mtime!);
      assertEquals(counts(await source.sync()), { updated: 1 });
      assertEquals((await source.document("a.md")).title, "After!");
    },

    "a missing or empty folder deletes nothing": async () => {
      await using folder = await temporaryFolder({ "docs/a.md": "# A\n" });
      const source = await TestSource.add(engine, folder, { name: "unmounted" });
      await Deno.rename(`${folder.path}/docs`, `${folder.path}.away`);
      const empty = await source.sync();
      assertEquals([empty.documents, empty.last_sync?.error], [
        1,
        "The folder is empty: check that its disk is mounted. Nothing was deleted",
      ]);
      await Deno.remove(folder.path);
      const missing = await source.sync();
      assertEquals(missing.documents, 1);
      assert(missing.last_sync?.error?.startsWith("Cannot list the folder: No such file or directory"));
      await Deno.mkdir(folder.path);
      await Deno.rename(`${folder.path}.away`, `${folder.path}/docs`);
      assertEquals(counts(await source.sync()), { unchanged: 1 });
    },

    "nothing is deleted below what cannot be inspected, such as a failed network mount": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n", "real/b.md": "# B\n" });
      const link = `${folder.path}/mount`;
      await Deno.symlink("real", link);
      const source = await TestSource.add(engine, folder, { name: "mounts" });
      assertEquals((await source.sync()).documents, 3);
      await Deno.remove(link);
      await Deno.symlink("x".repeat(300), link); // The system refuses so long a name.
      const failed = await source.sync();
      assertEquals([failed.documents, counts(failed)], [3, { unchanged: 2, failed: 1 }]);
      assertEquals(failures(failed), [["mount", "unreadable"]]);
      // Nor if only a part of it is synchronized, which finds the same failure again.
      const part = await source.sync({ path: "mount/b.md" });
      assertEquals([part.documents, part.last_sync?.failed, failures(part)], [3, 1, failures(failed)]);
      await Deno.remove(link);
      assertEquals(counts(await source.sync()), { unchanged: 2, deleted: 1 });
    },

    "a link without a target is a warning, not a failure, and its document stays": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n", "b.txt": "B\n" });
      await Deno.symlink("nowhere.md", `${folder.path}/broken.md`);
      await Deno.symlink("b.txt", `${folder.path}/c.md`);
      const source = await TestSource.add(engine, folder, { name: "dangling" });
      const warnings = [{ path: "broken.md", warning: "Left out: the link has no target" }];
      const first = await source.sync();
      assertEquals([counts(first), first.last_sync?.warnings], [{ unchanged: 3 }, warnings]);
      await Deno.remove(`${folder.path}/c.md`);
      await Deno.symlink("gone.txt", `${folder.path}/c.md`);
      const second = await source.sync();
      assertEquals([second.documents, counts(second)], [3, { unchanged: 2 }]);
      assertEquals(second.last_sync?.warnings?.map(({ path }) => path), ["broken.md", "c.md"]);
    },

    "a file that loses its text loses its document, which returns with its id": async () => {
      await using folder = await temporaryFolder({ "a.md": "# Secret\n", "b.md": "# B\n" });
      const source = await TestSource.add(engine, folder, { name: "failures" });
      const { document_id: id } = await source.document("a.md");
      await source.edit("a.md", { add_tags: ["mine"] });
      await folder.write("a.md", "");
      const failed = await source.sync();
      assertEquals([counts(failed), failures(failed)], [{ unchanged: 1, failed: 1 }, [["a.md", "no_text"]]]);
      assertEquals((await engine.call("getDocument", { id })).status, 404);
      // Reported again without being read again, and also after the report of another file.
      assertEquals(counts(await source.sync()), { unchanged: 1, failed: 1 });
      assertEquals(counts(await source.sync({ path: "b.md" })), { unchanged: 1, failed: 1 });
      assertEquals(counts(await source.sync({ retry: true })), { unchanged: 1, failed: 1 });
      await folder.write("a.md", "# Public\n");
      assertEquals(counts(await source.sync()), { created: 1, unchanged: 1 });
      const back = await source.document("a.md");
      assertEquals([back.document_id, back.title, back.source], [id, "Public", "failures"]);
      assertEquals(back.tags, ["collection:documents", "mine"]);
    },

    "a file that was gone returns with the id, history and added tags of its document": async () => {
      await using folder = await temporaryFolder({
        "a.md": "---\ntags: [one, two]\n---\n# A\n",
        "b/c.md": "# C\n",
        "d.md": "# D\n",
      });
      const source = await TestSource.add(engine, folder, { name: "returns" });
      const before = await source.documents();
      const [a, c] = ["a.md", "b/c.md"].map((path) => before.get(path).document_id);
      await source.edit("a.md", { add_tags: ["mine"] });
      await engine.call("changeTags", {
        id: c,
        body: { add: ["collection:memory"], remove: ["collection:documents"] },
      });
      // As when another branch is checked out, and the first one again.
      for (let time = 0; time < 2; time++) {
        await Deno.rename(`${folder.path}/a.md`, `${folder.path}.a`);
        await Deno.rename(`${folder.path}/b`, `${folder.path}.b`);
        assertEquals(counts(await source.sync()), { unchanged: 1, deleted: 2 });
        await Deno.rename(`${folder.path}.a`, `${folder.path}/a.md`);
        await Deno.rename(`${folder.path}.b`, `${folder.path}/b`);
        assertEquals(counts(await source.sync()), { created: 2, unchanged: 1 });
        const after = await source.documents();
        assertEquals([after.get("a.md").document_id, after.get("b/c.md").document_id], [a, c]);
        assertEquals(after.get("a.md").tags, ["collection:documents", "mine", "one", "two"]);
        assertEquals(after.get("b/c.md").tags, ["collection:memory"]);
      }
      const { revisions } = (await engine.call("listRevisions", { id: a })).body;
      assertEquals(revisions.map(({ change }: { change: string }) => change), ["deleted", "deleted", "tags"]);

      // A tag that has left the front matter meanwhile leaves the document.
      await Deno.remove(`${folder.path}/a.md`);
      await source.sync();
      await folder.write("a.md", "---\ntags: [two]\n---\n# A2\n");
      await source.sync();
      const changed = await source.document("a.md");
      assertEquals([changed.document_id, changed.title], [a, "A2"]);
      assertEquals(changed.tags, ["collection:documents", "mine", "two"]);

      // An erased document does not return.
      await Deno.remove(`${folder.path}/a.md`);
      await source.sync();
      await engine.call("deleteDocument", { id: a, query: { permanent: "true" } });
      await folder.write("a.md", "# A\n");
      await source.sync();
      assert((await source.document("a.md")).document_id !== a);
    },

    "a document that an agent deletes or edits follows its file again": async () => {
      await using folder = await temporaryFolder({ "a.md": "---\nstatus: draft\n---\n# A\n" });
      const source = await TestSource.add(engine, folder, { name: "edits" });
      const { document_id: id } = await source.document("a.md");
      await engine.call("deleteDocument", { id });
      const restored = await engine.call("restoreDocument", { id, body: {} });
      assertEquals(restored.body.source, "edits");
      assertEquals(counts(await source.sync()), { unchanged: 1 });
      await engine.call("deleteDocument", { id });
      assertEquals(counts(await source.sync()), { created: 1 });
      assertEquals((await source.document("a.md")).document_id, id);

      assertEquals((await source.edit("a.md", { title: "Mine", metadata: { status: "done" } })).status, 200);
      assertEquals(counts(await source.sync()), { unchanged: 1 });
      assertEquals((await source.document("a.md")).metadata.status, "done");
      await folder.write("a.md", "---\nstatus: final\n---\n# A\n");
      await source.sync();
      const { title, metadata } = await source.document("a.md");
      assertEquals([title, metadata.status], ["A", "final"]);
      const moved = await source.edit("a.md", { source_path: "elsewhere.md" });
      assertEquals([moved.status, moved.body.error.code], [400, "invalid"]);
      // The document of a former version keeps the path of its file.
      await Deno.rename(`${folder.path}/a.md`, `${folder.path}/b.md`);
      await source.sync();
      assertEquals(
        (await engine.call("restoreDocument", { id, body: { version: 1 } })).body.source_path,
        "edits/b.md",
      );
    },

    "other documents and sources stay apart, also with equal content": async () => {
      await using folder = await temporaryFolder({ "a.md": "# Same\n" });
      const upload = { file: new File(["# Same\n"], "a.md"), tags: ["collection:documents"] };
      const source = await TestSource.add(engine, folder, { name: "apart" });
      const { document_id: id } = await source.document("a.md");
      const job = await engine.ingest(upload);
      assert(job.document_id !== id);
      const replaced = await engine.ingest({ ...upload, source_path: "apart/a.md", overwrite: "true" });
      assertEquals([replaced.status, replaced.error_code], ["failed", "conflict"]);
    },

    "what may only be added does not take the path of a file that comes later": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n" });
      const source = await TestSource.add(engine, folder, { name: "occupied" });
      const path = { source_path: "occupied/later.md", add_only: "true" };
      for (const content of [{ text: "A note." }, { file: new File(["A file."], "later.md") }]) {
        const job = await engine.ingest({ ...content, ...path });
        assertEquals([job.status, job.error_code, job.conflict], ["failed", "conflict", undefined]);
        assertMatch(
          job.error ?? "",
          /"occupied\/later\.md" is for a file of the source "occupied"\. Nothing was stored/,
        );
      }
      const elsewhere = await engine.ingest({ text: "A note.", ...path, source_path: "elsewhere/later.md" });
      assertEquals(elsewhere.outcome, "created");
      await folder.write("later.md", "# Later\n");
      assertEquals(counts(await source.sync()), { created: 1, unchanged: 1 });
      // Others may use a path that the source leaves out, and can give it up.
      assertEquals((await engine.ingest({ text: "Code.", source_path: "occupied/a.ts" })).outcome, "created");
    },

    "changed options of a source apply to its documents without reading the files": async () => {
      await using folder = await temporaryFolder({
        "a.md": "---\ntags: [own]\n---\n# A\n",
        "b/c.md": "# C\n",
      });
      const options = { name: "options", collection: "one", tags: ["x"] };
      const source = await TestSource.add(engine, folder, options);
      await source.edit("a.md", { add_tags: ["mine"] });
      await TestSource.add(engine, folder, { ...options, collection: "two", tags: ["own", "y"] });
      assertEquals((await source.document("a.md")).tags, ["collection:two", "mine", "own", "y"]);
      const root = await engine.call("addSource", { body: { name: "root", path: "/" } });
      assertEquals(root.body.error.code, "invalid");
      assertMatch(root.body.error.message, /"\/": it is the root of the file system\. Add the folders/);
      const conflict = await engine.call("addSource", { body: { ...options, path: dirname(folder.path) } });
      assertEquals(conflict.body.error.code, "conflict");
      const excluded = await TestSource.add(engine, folder, { ...options, exclude: ["b/"] });
      assertEquals([...(await excluded.documents()).keys()], ["a.md"]);
    },

    "a folder that becomes a link out of the source is reported and loses its documents": async () => {
      await using folder = await temporaryFolder({ "a/b.md": "# B\n", "c.md": "# C\n" });
      const source = await TestSource.add(engine, folder, { name: "links" });
      await Deno.rename(`${folder.path}/a`, `${folder.path}.away`);
      await Deno.symlink(`${folder.path}.away`, `${folder.path}/a`);
      assertEquals(failures(await source.sync()), [["a", "outside_source"]]);
      assertEquals([...(await source.documents()).keys()], ["c.md"]);
      await Deno.remove(`${folder.path}.away`, { recursive: true });
    },

    "removing a source moves its documents to the trash, or keeps them": async () => {
      await using folder = await temporaryFolder({ "a.md": "# A\n" });
      const kept = await TestSource.add(engine, folder, { name: "removed" });
      const { document_id: id } = await kept.document("a.md");
      const { body } = await engine.call("removeSource", { id: kept.id, query: { keep_documents: "true" } });
      assertEquals([body.deleted, body.name], [0, "removed"]);
      assertEquals((await kept.document("a.md")).source, undefined);
      // Added again, the source finds its document by path and content.
      const again = await TestSource.add(engine, folder, { name: "removed" });
      assertEquals((await again.document("a.md")).document_id, id);
      assertEquals((await engine.call("removeSource", { id: again.id })).body.deleted, 1);
      assertEquals((await again.documents()).size, 0);
      assertEquals((await engine.call("getSource", { id: again.id })).status, 404);
    },
  });
});
