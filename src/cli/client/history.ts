import type { Revision, TrashedDocument } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { ClientContext } from "./client_context.ts";
import { documentLabel, minute } from "./document_table.ts";
import { parseId } from "./ids.ts";
import { type Column, table } from "./table.ts";

/** Options of a page, as the parser returns them. */
export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const REVISIONS: readonly Column<Revision>[] = [
  { head: "VERSION", value: ({ version }) => version, align: "right" },
  { head: "ENDED", value: ({ changed_at }) => minute(changed_at) },
  { head: "CHANGE", value: ({ change }) => change },
  { head: "BY", value: ({ changed_by }) => changed_by, minWidth: 8 },
  { head: "TITLE", value: (revision) => documentLabel(revision), minWidth: 20 },
];

/** Implements `kb-mcp history`: the former versions of a document. */
export async function history(
  id: string,
  page: PageOptions,
  { client, output, signal }: ClientContext,
): Promise<void> {
  await client.requireVersion("history", { signal });
  const result = await client.listRevisions(parseId(id), page, { signal });
  if (output.isJson) return output.json(result);
  const { title, version, revisions, next_cursor } = result;
  const state = version === null ? "deleted" : `version ${version}`;
  output.lines(`${output.colors.bold(documentLabel({ title }))}  ${output.colors.dim(state)}`);
  output.lines(...(revisions.length > 0 ? table(revisions, REVISIONS, output) : ["No former versions."]));
  if (next_cursor) output.lines(output.colors.dim(`More: --cursor ${oneLine(next_cursor)}`));
}

const TRASH: readonly Column<TrashedDocument>[] = [
  { head: "ID", value: ({ document_id }) => document_id, align: "right" },
  { head: "TITLE", value: (document) => documentLabel(document), minWidth: 20 },
  { head: "PATH", value: ({ source_path }) => source_path, minWidth: 12 },
  { head: "DELETED", value: ({ deleted_at }) => minute(deleted_at) },
  { head: "BY", value: ({ deleted_by }) => deleted_by, minWidth: 8 },
  { head: "RESTORABLE UNTIL", value: ({ restorable_until }) => minute(restorable_until) },
];

/** Implements `kb-mcp trash`: the deleted documents that can be restored. */
export async function trash(page: PageOptions, { client, output, signal }: ClientContext): Promise<void> {
  await client.requireVersion("trash", { signal });
  const result = await client.listTrash(page, { signal });
  if (output.isJson) return output.json(result);
  const { documents, next_cursor } = result;
  output.lines(...(documents.length > 0 ? table(documents, TRASH, output) : ["The trash is empty."]));
  if (next_cursor) output.lines(output.colors.dim(`More: --cursor ${oneLine(next_cursor)}`));
}
