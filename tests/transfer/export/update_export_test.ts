import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  ExportError,
  exportJsonl,
  exportMarkdown,
  readExport,
  runImport,
} from "../../../src/transfer/mod.ts";
import { add, filesOf, openEngine } from "../engines.ts";

Deno.test("exports update a directory, and imports take over edits, moves and new files", async (t) => {
  await using engine = await openEngine();
  const { client } = engine;
  const directory = `${engine.directory}/export`;
  const tea = await add(client, { text: "Green tea.", title: "Tea", tags: ["collection:memory", "kitchen"] });
  const milk = await add(client, { text: "Cold milk.", title: "Milk", tags: ["collection:memory"] });
  await exportMarkdown(client, directory);

  await t.step("an export again writes only what has changed", async () => {
    await client.updateNote(tea, { text: "Black tea." });
    const report = await exportMarkdown(client, directory);
    assertEquals([report.written, report.unchanged, report.removed], [1, 1, 0]);
    assertStringIncludes(await Deno.readTextFile(`${directory}/memory/Tea.md`), "\n\nBlack tea.\n");
  });

  await t.step("an edited file is imported as a change, and not overwritten before", async () => {
    const path = `${directory}/memory/Tea.md`;
    const content = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      content.replace("Black tea.", "White tea.\r\n").replace("- kitchen", "- kitchen\n  - edited"),
    );
    const { failures } = await exportMarkdown(client, directory);
    assertEquals(failures.map(({ file }) => file), ["memory/Tea.md"]);
    assertStringIncludes(failures[0]!.error, "edited since the last export");
    const report = await runImport(client, readExport(directory), { exact: true });
    assertEquals([report.updated, report.unchanged, report.failures], [1, 1, []]);
    const { text, tags, title } = await client.document(tea, { text: true });
    assertEquals([text, tags, title], ["White tea.", ["collection:memory", "edited", "kitchen"], "Tea"]);
    assertEquals((await runImport(client, readExport(directory), { exact: true })).unchanged, 2);
    const again = await exportMarkdown(client, directory);
    assertEquals([again.written, again.failures], [1, []]);
  });

  await t.step("files may be moved, added and removed", async () => {
    await Deno.rename(`${directory}/memory/Tea.md`, `${directory}/moved.md`);
    await Deno.remove(`${directory}/memory/Milk.md`);
    await Deno.writeTextFile(`${directory}/memory/New.md`, "---\ntitle: New one\nmood: calm\n---\n# Water\n");
    await Deno.writeTextFile(`${directory}/memory/Bad.md`, "---\ntitle: [\n---\ntext\n");
    const report = await runImport(client, readExport(directory), { exact: true });
    assertEquals([report.created, report.unchanged, report.skips], [1, 1, { "its file was removed": 1 }]);
    assertEquals(report.failures.map(({ name }) => name), ["memory/Bad.md"]);
    const [found] = (await client.documents({ source_path: "memory/New.md" })).documents;
    assertEquals([found?.title, found?.tags, found?.doc_type], [
      "New one",
      ["collection:memory"],
      "markdown",
    ]);
  });

  await t.step(
    "files of deleted documents are removed unless they were edited, and foreign files stay",
    async () => {
      const other = `${engine.directory}/other`;
      await exportMarkdown(client, other);
      await client.deleteDocument(milk);
      await client.deleteDocument(tea);
      await Deno.writeTextFile(`${other}/memory/Tea.md`, "mine");
      await Deno.writeTextFile(`${other}/memory/Foreign.md`, "mine");
      const report = await exportMarkdown(client, other);
      assertEquals([report.removed, report.failures.map(({ file }) => file)], [1, ["memory/Tea.md"]]);
      assertEquals(Object.keys(await filesOf(other)), [
        "kb-export.jsonl",
        "memory/Foreign.md",
        "memory/New.md",
        "memory/Tea.md",
      ]);
    },
  );

  await t.step("a directory with other files, or another selection, is refused", async () => {
    const foreign = `${engine.directory}/foreign`;
    await Deno.mkdir(foreign);
    await Deno.writeTextFile(`${foreign}/a.md`, "mine");
    await assertRejects(() => exportMarkdown(client, foreign), ExportError, "it has other files");
    await assertRejects(
      () => exportMarkdown(client, directory, { filters: { collections: ["memory"] } }),
      ExportError,
      "other filters",
    );
    await assertRejects(() => exportJsonl(client, directory), ExportError, "it has other files");
    assertEquals(await filesOf(foreign), { "a.md": "mine" });
  });

  await t.step("an export that was killed can be repeated", async () => {
    const killed = `${engine.directory}/killed`;
    const aborted = new AbortController();
    await add(client, { text: "Another note" });
    await assertRejects(() =>
      exportMarkdown(client, killed, { onProgress: () => aborted.abort(), signal: aborted.signal })
    );
    const report = await exportMarkdown(client, killed);
    assertEquals([report.documents, report.failures], [2, []]);
  });

  await t.step("a file whose front matter alone was edited keeps its pages", async () => {
    const pages = `${engine.directory}/pages`;
    const chunk = { char_start: 0, char_end: 5, line_start: 1, line_end: 1, page_start: 7, page_end: 7 };
    const report = { title: "Report", doc_type: "pdf" as const, text: "Pages", chunks: [chunk], tags: ["a"] };
    const { results } = await client.importDocuments({ documents: [report], exact: true });
    await exportMarkdown(client, pages, { filters: { doc_type: "pdf" } });
    const path = `${pages}/no-collection/Report.md`;
    await Deno.writeTextFile(
      path,
      (await Deno.readTextFile(path)).replace("- a", "- b").replace("title: Report", "title: R"),
    );
    assertEquals((await runImport(client, readExport(pages), { exact: true })).updated, 1);
    const { tags, chunks } = await client.document(results[0]!.document_id!);
    assertEquals([tags, chunks?.[0]?.page_start], [["b"], 7]);
  });

  await t.step("links that lead out of the directory are not followed", async () => {
    const linked = `${engine.directory}/linked`;
    await exportMarkdown(client, linked);
    await Deno.rename(`${linked}/memory`, `${engine.directory}/outside`);
    await Deno.symlink(`${engine.directory}/outside`, `${linked}/memory`);
    const before = await filesOf(`${engine.directory}/outside`);
    const { failures } = await exportMarkdown(client, linked, { overwrite: true });
    assertEquals(failures.map(({ file }) => file), ["memory/New.md"]);
    assertEquals(await filesOf(`${engine.directory}/outside`), before);
  });

  await t.step("links at the names of temporary files are not followed", async () => {
    const hostile = `${engine.directory}/links`;
    await exportMarkdown(client, hostile);
    const victim = `${engine.directory}/victim`;
    await Deno.writeTextFile(victim, "mine");
    await Deno.writeTextFile(`${hostile}/memory/New.md`, "edited");
    for (const name of ["memory/New.md.kb-new", "kb-export.jsonl.new", "kb-export.journal"]) {
      await Deno.symlink(victim, `${hostile}/${name}`);
    }
    await assertRejects(() => exportMarkdown(client, hostile, { overwrite: true }), ExportError, "a link");
    await Deno.remove(`${hostile}/kb-export.journal`);
    const { failures } = await exportMarkdown(client, hostile, { overwrite: true });
    assertEquals([failures, await Deno.readTextFile(victim)], [[], "mine"]);
    const lines = `${engine.directory}/lines`;
    await Deno.mkdir(lines);
    await Deno.symlink(victim, `${lines}/kb-documents.jsonl.new`);
    await exportJsonl(client, lines);
    assertEquals(await Deno.readTextFile(victim), "mine");
  });

  await t.step("no file outside of the directory is removed", async () => {
    const hostile = `${engine.directory}/removing`;
    await exportMarkdown(client, hostile);
    const outside = `${engine.directory}/outside`;
    const before = await filesOf(outside);
    await Deno.symlink(outside, `${hostile}/linked`);
    const entry = { text_sha256: "0".repeat(64), sha256: "0".repeat(64), has_metadata: true, document: {} };
    const line = `${JSON.stringify({ ...entry, file: "linked/New.md" })}\n`;
    await Deno.writeTextFile(`${hostile}/kb-export.jsonl`, line, { append: true });
    const { failures } = await exportMarkdown(client, hostile, { overwrite: true });
    assertEquals([failures.map(({ file }) => file), await filesOf(outside)], [["linked/New.md"], before]);
  });

  await t.step("a path that leads out of the export is refused", async () => {
    const hostile = `${engine.directory}/hostile`;
    await Deno.mkdir(hostile);
    const entry = {
      // What `.` matches in a pattern ends at U+2028.
      file: "a\u2028/../../b",
      sha256: "0".repeat(64),
      text_sha256: "0".repeat(64),
      has_metadata: true,
      document: {},
    };
    const header = { format: "kb-mcp-export", version: 1, filters: {} };
    const lines = [header, entry].map((line) => JSON.stringify(line)).join("\n");
    await Deno.writeTextFile(`${hostile}/kb-export.jsonl`, lines);
    await assertRejects(
      () => Array.fromAsync(readExport(hostile)),
      Error,
      "Line 2 of kb-export.jsonl is not an entry",
    );
  });
});
