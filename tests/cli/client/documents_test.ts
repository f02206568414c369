import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import {
  changeTags,
  deleteDocuments,
  restoreDocument,
  setCollection,
} from "../../../src/cli/client/documents.ts";
import type { ClientContext } from "../../../src/cli/client/client_context.ts";
import { get } from "../../../src/cli/client/get.ts";
import { history, trash } from "../../../src/cli/client/history.ts";
import { job, jobs } from "../../../src/cli/client/jobs.ts";
import { list } from "../../../src/cli/client/list.ts";
import { addNote, edit, updateNote } from "../../../src/cli/client/notes.ts";
import { search } from "../../../src/cli/client/search.ts";
import { status } from "../../../src/cli/client/status.ts";
import { ClientFixture } from "./client_fixture.ts";

Deno.test("commands of documents", async (t) => {
  await using kb = await ClientFixture.open();
  const kettle = await kb.add(
    "# Kettle\n\nThe kettle is in the cupboard.\n\n## Care\n\nDescale it monthly.",
    {
      title: "Kettle",
      source_path: "kitchen/kettle.md",
      tags: ["collection:documents", "kitchen"],
    },
  );
  await kb.add("Tea takes three minutes.", { title: "Tea", tags: ["collection:memory"] });

  await t.step("search prints passages with marked words, or JSON", async () => {
    const { text } = await kb.terminal((context) =>
      search("kettles", { collection: ["documents"] }, context)
    );
    assertStringIncludes(text, `${kettle}  Kettle  Kettle · lines 1–7 · kitchen/kettle.md`);
    const found = await kb.json((context) => search("kettle", { top: 1 }, context));
    assertEquals([found.results.length, found.results[0].document_id], [1, kettle]);
    const none = await kb.terminal((context) => search("zebra", { since: "1h", tags: ["kitchen"] }, context));
    assertEquals(none.text, "Nothing found.\n");
  });

  await t.step("a search prints the first and the last page of a passage", async () => {
    for (
      const [pages, printed] of [
        [{ page_start: 4, page_end: 4 }, "Kettle · page 4 · kitchen"],
        [{ page_start: 4, page_end: 6 }, "Kettle · pages 4–6 · kitchen"],
        [{ page_start: 4 }, "Kettle · page 4 · kitchen"],
      ] as const
    ) {
      const paged = kb.clientWith(async (request, send) => {
        const response = await send(request);
        if (!request.url.endsWith("/search")) return response;
        const found = await response.json();
        return Response.json({
          ...found,
          results: found.results.map((each: object) => ({ ...each, ...pages })),
        });
      });
      const { text } = await kb.terminal((context) => search("cupboard", {}, context), paged);
      assertStringIncludes(text, printed);
    }
  });

  await t.step("a search tells how many passages have vectors until all have one", async () => {
    for (
      const [embedded, notes] of [
        [3, "3 of 9 passages have vectors: the others are found by words only.\n"],
        [9, ""],
      ]
    ) {
      const embedding = kb.clientWith(async (request, send) => {
        const response = await send(request);
        return request.url.endsWith("/search")
          ? Response.json({ ...await response.json(), vectors: { embedded, total: 9 } })
          : response;
      });
      const { text } = await kb.terminal((context) => search("three minutes", {}, context), embedding);
      assertEquals(text.slice(text.indexOf("\n\n") + 2), notes);
    }
  });

  await t.step("an empty search or list says which filter no document passes", async () => {
    const hint = 'No document has the tag "Kitchen". Did you mean "kitchen"?';
    for (
      const action of [
        (context: ClientContext) => search("kettle", { tags: ["Kitchen"] }, context),
        (context: ClientContext) => list({ tags: ["Kitchen"] }, context),
      ]
    ) {
      assertEquals((await kb.terminal(action)).text, `${hint}\n`);
      assertEquals((await kb.json(action)).hint, hint);
    }
  });

  await t.step("search rejects what is not a time or a collection", async () => {
    await assertRejects(
      () => kb.terminal((context) => search("x", { since: "soon" }, context)),
      Error,
      "--since",
    );
    await assertRejects(
      () => kb.terminal((context) => search("x", { collection: ["memroy"] }, context)),
      Error,
      'Did you mean "memory"?',
    );
  });

  await t.step("list prints a table, counts or JSON, and all pages", async () => {
    const { text } = await kb.terminal((context) => list({ sort: "title" }, context));
    assertEquals(text.split("\n").slice(0, 2).map((line) => line.split(/ {2,}/).slice(1, 5)), [
      ["TITLE", "TYPE", "COLLECTION", "TAGS"],
      ["Kettle", "note", "documents", "kitchen"],
    ]);
    const pages = await kb.json((context) => list({ limit: 1, all: true }, context));
    assertEquals([pages.documents.length, pages.next_cursor], [2, null]);
    const page = await kb.json((context) => list({ limit: 1, since: "7d" }, context));
    const next = await kb.json((context) =>
      list({ limit: 1, since: "7d", cursor: page.next_cursor }, context)
    );
    assertEquals([page.documents[0].title, next.documents[0].title], ["Tea", "Kettle"]);
    const groups = await kb.terminal((context) => list({ groupBy: "collection" }, context));
    assertMatch(groups.text, /documents\s+1\nmemory\s+1/);
  });

  await t.step("get finds a document by id, path and title", async () => {
    for (const name of [String(kettle), "kitchen/kettle.md", "kettle"]) {
      assertEquals((await kb.json((context) => get(name, {}, context))).document_id, kettle);
    }
    const { text } = await kb.terminal((context) => get("Kettle", {}, context));
    assertMatch(text, /^1 {2}Kettle\n.*type: note\n.*path: kitchen\/kettle.md[^]*Descale it monthly\.\n$/s);
    const raw = await kb.terminal((context) => get("Kettle", { raw: true }, context));
    assertMatch(raw.text, /^# Kettle\n/);
    const outline = await kb.terminal((context) => get("Kettle", { outline: true }, context));
    assertEquals(outline.text, "Kettle\n  Kettle  --around 0\n    Care  --around 0\n");
    for (const options of [{ around: 99 }, { offset: 99 }, { around: 99, raw: true }]) {
      const { text, error } = await kb.terminal((context) => get("Kettle", options, context));
      assertEquals(error, "There is no chunk 99: the document has 1 chunk, numbered from 0\n");
      assert(!text.includes("Chunks "), text);
    }
    assertEquals((await kb.terminal((context) => get("Kettle", { around: 0 }, context))).error, "");
    await assertRejects(
      () => kb.terminal((context) => get("no such", {}, context)),
      Error,
      "No document has",
    );
    await assertRejects(() => kb.terminal((context) => get("99", {}, context)), Error, "99");
  });

  await t.step("a note is added, changed, moved, deleted and restored", async () => {
    const added = await kb.json((context) => addNote("Cups are blue.", { tags: ["cups"] }, context));
    const id = String(added.document_id);
    assertEquals([added.status, added.outcome], ["done", "created"]);
    await kb.terminal((context) => updateNote(id, { text: "Cups are green.\n\n## Size\n\nSmall." }, context));
    const edited = await kb.terminal((context) => edit(id, { find: "green", replace: "red" }, context));
    assertStringIncludes(edited.text, "Cups are red.");
    await kb.terminal((context) => edit(id, { section: "Size", with: "Large.", metadata: ["n=3"] }, context));
    await assertRejects(() => kb.terminal((context) => edit(id, { find: "x" }, context)), Error, "--replace");
    await kb.terminal((context) => changeTags([id], { add: ["blue"], remove: ["cups"] }, context));
    const moved = await kb.json((context) => setCollection([id, "98"], "memory", context));
    assertEquals(
      [moved.changed[0].collection, moved.changed[0].previous, moved.failed[0].code],
      ["memory", "documents", "not_found"],
    );
    const versions = await kb.json((context) => history(id, {}, context));
    assertEquals(versions.revisions[0].changed_by, "kb-mcp");
    const { text: listed } = await kb.terminal((context) => history(id, {}, context));
    assertMatch(listed, /VERSION {2}ENDED +CHANGE +BY +TITLE\n.* collection +kb-mcp +Cups are red/);
    const deleted = await kb.terminal((context) =>
      deleteDocuments([id], {}, { ...context, confirm: () => true })
    );
    assertMatch(deleted.text, /Deleted document 3: .* \(kb-mcp restore 3 undoes this until /);
    assertStringIncludes((await kb.terminal((context) => trash({}, context))).text, "Cups are red.");
    const restored = await kb.terminal((context) => restoreDocument(id, {}, context));
    assertMatch(restored.text, /^Restored version \d+ of document 3: /);
    const again = await kb.terminal((context) => restoreDocument(id, {}, context));
    assertMatch(again.text, /^Document 3 is as version \d+ was already: kb-mcp history 3 lists the others/);
    const text = await kb.terminal((context) => get(id, { raw: true }, context));
    assertMatch(text.text, /Cups are red\.\n\n## Size\n\nLarge\.\n$/);
  });

  await t.step("a document is erased only with a confirmation", async () => {
    const id = String(await kb.add("Old news."));
    await assertRejects(
      () => kb.terminal((context) => deleteDocuments([id], {}, { ...context, confirm: () => false })),
      Error,
      "Nothing was deleted",
    );
    await assertRejects(
      () => kb.terminal((context) => deleteDocuments([id], { permanent: true }, context)),
      Error,
      "--yes",
    );
    const erased = await kb.json((context) => deleteDocuments([id], { permanent: true, yes: true }, context));
    assertEquals([erased.changed.length, erased.changed[0].restorable_until], [1, undefined]);
  });

  await t.step("a deletion is confirmed once, and only of documents that exist", async () => {
    const ids = [String(await kb.add("Stale news.")), String(await kb.add("Staler news."))];
    const questions: string[] = [];
    const confirm = (question: string) => questions.push(question) > 0;
    const remove = (ids: readonly string[], options: { permanent?: boolean } = {}) =>
      kb.json((context) => deleteDocuments(ids, options, { ...context, confirm }));
    for (const options of [{}, { permanent: true }]) {
      assertEquals((await remove(["999"], options)).failed[0].code, "not_found");
    }
    assertEquals(questions, []);
    const { changed, failed } = await remove(["999", ...ids]);
    assertEquals([changed.length, failed.length, questions], [2, 1, ["Move 3 documents to the trash?"]]);
    // From the trash.
    assertEquals((await remove(ids, { permanent: true })).changed.length, 2);
    assertEquals(questions[1], "Erase 2 documents for good?");
    assertEquals(questions.length, 2);
  });

  await t.step("jobs and status", async () => {
    assertStringIncludes((await kb.terminal((context) => jobs({ limit: 2 }, context))).text, "created");
    assertEquals((await kb.json((context) => job("1", { wait: 1 }, context))).status, "done");
    const { text } = await kb.terminal((context) => status(context));
    assertMatch(text, /documents: +3: documents 1, memory 2|documents: +3: memory 2, documents 1/);
    assertStringIncludes(text, "full text only");
    const { engine, sources } = await kb.json((context) => status(context));
    assertEquals([engine.documents.total, sources], [3, []]);
  });

  await t.step("text of documents cannot control a terminal", async () => {
    await kb.add("Look \x1b[2J\x9b31m\u202ehere", { title: "Harm\u202eless" });
    const printed = [
      await kb.terminal((context) => search("look", {}, context)),
      await kb.terminal((context) => list({}, context)),
      await kb.terminal((context) => get("Harmless", {}, context)),
      await kb.terminal((context) => get("Harmless", { raw: true }, context)),
    ];
    // deno-lint-ignore no-control-regex -- matches control characters on purpose
    for (const { text } of printed) assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(text), false);
    const json = await kb.json((context) => search("look", { detail: "chunk" }, context));
    assertStringIncludes(json.results[0].text, "here");
  });

  await t.step("the raw text of a note is as it was written, to be changed and stored again", async () => {
    const parts = Array.from({ length: 9 }, (_, i) => `## Part ${i}\n\n${"Some words. ".repeat(90)}`);
    const id = String(await kb.add(parts.join("  \n\n").trimEnd()));
    const { text } = await kb.terminal((context) => get(id, { raw: true }, context));
    assertEquals(text, `${parts.join("  \n\n").trimEnd()}\n`);
    const part = await kb.terminal((context) => get(id, { raw: true, limit: 1 }, context));
    assertEquals(part.text.includes("Part 3"), false);
  });

  await t.step("search names the document of a file name that no result has", async () => {
    const id = await kb.add("Cold.", { title: "Fridge", source_path: "kitchen/zq17.md" });
    const hint = `The file name "zq17.md" is that of document ${id} ("kitchen/zq17.md").`;
    assertStringIncludes(
      (await kb.terminal((context) => search("minutes zq17.md", {}, context))).text,
      `${hint}\n`,
    );
    assertEquals((await kb.json((context) => search("zq17.md", {}, context))).hint, hint);
  });
});
