import * as z from "zod";
import { ifFound } from "../client/mod.ts";
import { present } from "../presentation/mod.ts";
import { DocumentId, IfVersion } from "./arguments.ts";
import { isConflict, orConflict } from "./conflicts.ts";
import { OutputId } from "./outputs.ts";
import { linksTo } from "./resource_links.ts";
import { defineTool } from "./tool.ts";

/** The advice of kb_edit, to use another path, is of no use here. */
const PATH_TAKEN =
  "Nothing was restored: another document has the source_path by now. Give that document another " +
  "source_path with kb_edit, or delete it, and repeat the call.";

const ALREADY_SO =
  "Nothing was changed: the document is as that version was. kb_history lists the others: pass one as " +
  "revision.";

/** Undoes the last change or the deletion of a document, or restores an older version. */
export const kbRestore = defineTool({
  name: "kb_restore",
  title: "Undo a change",
  description: `Undo the last change of a document, or its deletion.

Use this tool when you need to:
- Take back a mistake
- Restore an older version: revision

A second call redoes the change.`,
  scope: "write",
  engineVersion: "3.3.0",
  input: z.strictObject({
    document_id: DocumentId,
    revision: z.int().min(1).optional().describe("A version from kb_history."),
    if_version: IfVersion,
  }),
  output: z.looseObject({ document_id: OutputId, version: z.int().nullish(), outcome: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ document_id, revision, if_version }, { engine, caller, signal }) {
    const options = { ifVersion: if_version, actor: caller.name, signal };
    // Undefined if it is deleted; engines of other makes may have no versions.
    const before = await ifFound(engine.document(document_id, { chunks: false }, { signal }));
    const restored = await orConflict(
      document_id,
      () => engine.restoreDocument(document_id, { version: revision }, options),
    );
    if (isConflict(restored)) return "conflict" in restored ? { ...restored, next: PATH_TAKEN } : restored;
    // The text is what the agent restores, and not what it has to read: kb_get returns it.
    const { chunks: _, chunks_total: __, chunks_offset: ___, ...details } = restored;
    const document = present(details);
    // Such as a second call after a deletion, whose undo has left the text as it was.
    if (before?.version != null && before.version === restored.version) {
      return { outcome: "unchanged", ...document, next: ALREADY_SO };
    }
    return { outcome: "restored", ...document };
  },
  content: (output) => output.outcome === "restored" ? linksTo([output]) : [],
});
