import { assertEquals, assertMatch } from "@std/assert";
import type { Id } from "../../src/contract/mod.ts";
import { kbDelete } from "../../src/tools/kb_delete.ts";
import { kbHistory } from "../../src/tools/kb_history.ts";
import { kbRestore } from "../../src/tools/kb_restore.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { kbUpdateNote } from "../../src/tools/kb_update_note.ts";
import type { Harness } from "../support/harness.ts";
import { scenario } from "../support/scenario.ts";

const TEXT = "The kettle is in the sink.";

/** Stores a note and changes it as Ann, so that it has version 2. */
async function changedNote(kb: Harness): Promise<Id> {
  const document_id = await kb.note({ text: "The kettle is on the shelf.", title: "Kettle" });
  await kb.call(kbUpdateNote, { document_id, text: TEXT }, {
    caller: { id: "a", name: "Ann", scope: "write" },
  });
  return document_id;
}

/** The conditional changes, as calls of their tools. */
const CHANGES: Record<
  string,
  (kb: Harness, args: { document_id: Id; if_version: number }) => Promise<object>
> = {
  kb_update_note: (kb, args) => kb.call(kbUpdateNote, { ...args, text: "Lost." }),
  kb_set_collection: (kb, args) => kb.call(kbSetCollection, { ...args, collection: "memory" }),
  "kb_set_collection to the same collection": (kb, args) =>
    kb.call(kbSetCollection, { ...args, collection: "documents" }),
  kb_delete: (kb, args) => kb.call(kbDelete, args),
  kb_restore: (kb, args) => kb.call(kbRestore, args),
};

for (const [name, change] of Object.entries(CHANGES)) {
  scenario(`Optimistic concurrency / ${name} with a stale if_version changes nothing`, async (kb) => {
    const document_id = await changedNote(kb);
    for (const if_version of [1, 3]) {
      const { changed_at, next, ...conflict } = await change(kb, { document_id, if_version }) as Record<
        string,
        unknown
      >;
      assertEquals<unknown>(conflict, {
        ...(name === "kb_delete" ? { status: "conflict" } : {}),
        outcome: "conflict",
        document_id,
        version: 2,
        title: "Kettle",
        changed_by: "Ann",
      });
      assertMatch(String(changed_at), /^\d{4}-\d\d-\d\dT/);
      assertMatch(String(next), /^Nothing was changed\. Read the document with kb_get/);
    }
    const { version, chunks, tags } = await kb.engine.document(document_id);
    assertEquals<unknown>([version, chunks?.[0]?.text, tags], [2, TEXT, ["collection:documents"]]);
  });

  scenario(`Optimistic concurrency / ${name} with the current if_version is made`, async (kb) => {
    const document_id = await changedNote(kb);
    const result = await change(kb, { document_id, if_version: 2 }) as Record<string, unknown>;
    assertEquals([result["document_id"], result["outcome"] === "conflict"], [document_id, false]);
  });
}

scenario(
  "Optimistic concurrency / a document that was deleted meanwhile is a conflict that says so",
  async (kb) => {
    const document_id = await changedNote(kb);
    await kb.call(kbDelete, { document_id }, { caller: { id: "b", name: "Ben", scope: "write" } });
    for (const tool of ["kb_update_note", "kb_set_collection", "kb_delete"]) {
      const conflict = await CHANGES[tool]!(kb, { document_id, if_version: 2 }) as Record<string, unknown>;
      assertEquals([conflict["outcome"], conflict["changed_by"], conflict["version"]], [
        "conflict",
        "Ben",
        undefined,
      ]);
      assertMatch(String(conflict["next"]), /was deleted\. kb_restore without if_version brings it back/);
    }
  },
);

scenario("Authors / a name is shown without invisible characters", async (kb) => {
  const document_id = await kb.note({ text: "The kettle is on the shelf." });
  const caller = { id: "a", name: "A\u202enn", scope: "write" as const };
  await kb.call(kbUpdateNote, { document_id, text: TEXT }, { caller });
  const { revisions } = await kb.call(kbHistory, { document_id });
  assertEquals(revisions?.map(({ changed_by }) => changed_by), ["Ann"]);
});
