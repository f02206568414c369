import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { kbDelete } from "../../src/tools/kb_delete.ts";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbHistory } from "../../src/tools/kb_history.ts";
import { kbRestore } from "../../src/tools/kb_restore.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { kbUpdateNote } from "../../src/tools/kb_update_note.ts";
import { ToolError } from "../../src/tools/mod.ts";
import type { Harness } from "../support/harness.ts";
import { scenario } from "../support/scenario.ts";

const ANN = { caller: { id: "a", name: "Ann", scope: "write" as const } };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Stores a note, changes its text as Ann, then moves it. It has version 3. */
async function noteWithHistory(kb: Harness) {
  const document_id = await kb.note({
    text: "The kettle is on the shelf.",
    title: "Kettle",
    tags: ["kitchen"],
  });
  await kb.call(kbUpdateNote, { document_id, text: "The kettle is in the sink.", title: "Sink" }, ANN);
  await kb.call(kbSetCollection, { document_id, collection: "memory" });
  return document_id;
}

async function textOf(kb: Harness, document_id: unknown): Promise<unknown> {
  return (await kb.engine.document(document_id as number)).chunks?.map(({ text }) => text).join("\n");
}

scenario(
  "History / the former versions of a document, newest first, with what changed and by whom",
  async (kb) => {
    const document_id = await noteWithHistory(kb);
    const history = await kb.call(kbHistory, { document_id });
    const times = history.revisions?.map(({ changed_at }) => String(changed_at)) ?? [];
    for (const time of times) assertMatch(time, TIME);
    assertEquals<unknown>(history, {
      document_id,
      title: "Sink",
      version: 3,
      revisions: [
        {
          version: 2,
          doc_type: "note",
          collection: "documents",
          tags: ["kitchen"],
          change: "collection",
          changed_at: times[0],
        },
        {
          version: 1,
          title: "Kettle",
          doc_type: "note",
          collection: "documents",
          tags: ["kitchen"],
          change: "text",
          changed_at: times[1],
          changed_by: "Ann",
        },
      ],
      total: 2,
    });
  },
);

scenario("History / pages of revisions", async (kb) => {
  const document_id = await noteWithHistory(kb);
  const first = await kb.call(kbHistory, { document_id, limit: 1 });
  const second = await kb.call(kbHistory, { document_id, limit: 1, cursor: first.next_cursor });
  assertEquals([first, second].map((page) => page.revisions?.map(({ version }) => version)), [[2], [1]]);
  assertEquals([first["total"], second.next_cursor], [2, undefined]);
});

scenario("History / the text of a former version, also of a deleted document", async (kb) => {
  const document_id = await noteWithHistory(kb);
  for (let round = 0; round < 2; round++) {
    const former = await kb.call(kbHistory, { document_id, revision: 1 });
    assertEquals<unknown>(
      [former["title"], former["version"], former["chunks"]],
      ["Kettle", 1, [{ ...(former["chunks"] as object[])[0], text: "The kettle is on the shelf." }]],
    );
    if (round === 0) await kb.call(kbDelete, { document_id });
  }
});

scenario("History / a long former version is read in pages", async (kb) => {
  const text = Array.from({ length: 4000 }, (_, n) => `Line ${n} of the manual, which is long.`).join("\n\n");
  const document_id = await kb.note({ text });
  await kb.call(kbUpdateNote, { document_id, text: "Short." });
  const read: string[] = [];
  for (let cursor: string | undefined = undefined, pages = 0; pages < 50; pages++) {
    const page: Record<string, unknown> = await kb.call(kbHistory, {
      document_id,
      revision: 1,
      ...(cursor && { cursor }),
    });
    const chunks = page["chunks"] as { text: string }[];
    assertEquals(chunks.length <= 20, true);
    read.push(...chunks.map((chunk) => chunk.text));
    cursor = page["next_cursor"] as string | undefined;
    if (cursor === undefined) break;
  }
  const all = read.join("\n");
  assertEquals([all.includes("Line 0 of"), all.includes("Line 3999 of"), read.length > 5], [
    true,
    true,
    true,
  ]);
});

scenario("History / deleted documents, most recently deleted first", async (kb) => {
  const ids = [
    await kb.note({ text: "One." }),
    await kb.note({ text: "Two.", tags: ["x"], collection: "memory" }),
  ];
  for (const document_id of ids) await kb.call(kbDelete, { document_id }, ANN);
  const { deleted = [], ...page } = await kb.call(kbHistory, {});
  assertEquals<unknown>(page, { total: 2 });
  assertEquals(deleted.map(({ document_id }) => document_id), ids.toReversed());
  const [{ deleted_at, restorable_until, collection, tags, deleted_by, title } = {}] = deleted as Record<
    string,
    unknown
  >[];
  assertMatch(String(deleted_at), TIME);
  assertMatch(String(restorable_until), TIME);
  assertEquals<unknown>([collection, tags, deleted_by, title], ["memory", ["x"], "Ann", "Two."]);
});

scenario("History / version needs a document, and an unknown document is not found", async (kb) => {
  await assertRejects(() => kb.call(kbHistory, { revision: 1 }), ToolError, "revision needs the document_id");
  const error = await assertRejects(() => kb.call(kbHistory, { document_id: 99 }), EngineError);
  assertEquals(error.code, "not_found");
});

scenario("Undo / kb_restore takes back the last change, and twice is redo", async (kb) => {
  const document_id = await kb.note({ text: "The kettle is on the shelf." });
  await kb.call(kbUpdateNote, { document_id, text: "The kettle is in the sink." });
  const undone = await kb.call(kbRestore, { document_id });
  assertEquals<unknown>([undone.outcome, undone.version, undone["restored_version"]], ["restored", 3, 1]);
  assertEquals("chunks" in undone, false);
  assertEquals(await textOf(kb, document_id), "The kettle is on the shelf.");
  await kb.call(kbRestore, { document_id });
  assertEquals(await textOf(kb, document_id), "The kettle is in the sink.");
});

scenario("Undo / kb_restore goes back to a revision, with its collection", async (kb) => {
  const document_id = await noteWithHistory(kb);
  const restored = await kb.call(kbRestore, { document_id, revision: 1 }, ANN);
  assertEquals<unknown>([restored["title"], restored["collection"], restored.version], [
    "Kettle",
    "documents",
    4,
  ]);
  assertEquals((await kb.call(kbHistory, { document_id })).revisions?.[0]?.["changed_by"], "Ann");
});

scenario(
  "Undo / a deleted document is found no more until kb_restore brings it back as it was",
  async (kb) => {
    const document_id = await noteWithHistory(kb);
    const deleted = await kb.call(kbDelete, { document_id });
    assertEquals<unknown>(
      { ...deleted, restorable_until: undefined },
      { status: "deleted", document_id, title: "Sink", restorable_until: undefined },
    );
    assertMatch(String(deleted.restorable_until), /^\d{4}-\d\d-\d\dT/);
    for (const call of [() => kb.call(kbGet, { document_id }), () => kb.call(kbDelete, { document_id })]) {
      const error = await assertRejects(call, EngineError);
      assertMatch(error.message, /was deleted at 2\d{3}-.*T.{8}Z\. kb_restore brings it back/);
      assertEquals(error.code, "not_found");
    }
    const restored = await kb.call(kbRestore, { document_id });
    assertEquals<unknown>([restored["collection"], restored["tags"]], ["memory", ["kitchen"]]);
    assertEquals(await textOf(kb, document_id), "The kettle is in the sink.");
    // The version before is the same text: to take back its change too, a revision is needed.
    const again = await kb.call(kbRestore, { document_id });
    assertEquals([again.outcome, again.version], ["unchanged", restored.version]);
    assertMatch(String(again["next"]), /^Nothing was changed: .* pass one as revision/);
    assertEquals((await kb.call(kbRestore, { document_id, revision: 1 })).outcome, "restored");
    assertEquals(await textOf(kb, document_id), "The kettle is on the shelf.");
  },
);

scenario(
  "Undo / a document whose path is taken is not restored, and the answer names the document there",
  async (kb) => {
    const document_id = await kb.note({ text: "The kettle.", source_path: "kettle.md" });
    await kb.call(kbDelete, { document_id });
    const other = await kb.note({ text: "Another kettle.", source_path: "kettle.md", title: "Other" });
    const { conflict, ...result } = await kb.call(kbRestore, { document_id });
    assertEquals<unknown>({ ...result, next: undefined }, {
      outcome: "conflict",
      document_id,
      next: undefined,
    });
    const { title, document_id: occupant } = conflict as Record<string, unknown>;
    assertEquals<unknown>([title, occupant], ["Other", other]);
    assertMatch(String(result["next"]), /^Nothing was restored: another document has the source_path by now/);
    const error = await assertRejects(() => kb.call(kbRestore, { document_id: 99 }), EngineError);
    assertMatch(error.message, /^There is no document 99: it was never stored, or was deleted/);
  },
);
