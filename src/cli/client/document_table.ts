import { splitTags } from "../../collections/mod.ts";
import type { DocumentSummary } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { Column } from "./table.ts";

/** The fields of a document that a table shows. */
type Listed =
  & Pick<DocumentSummary, "document_id" | "title" | "doc_type" | "tags">
  & Partial<DocumentSummary>;

/** Columns of a list of documents. */
export const documentColumns: readonly Column<Listed>[] = [
  { head: "ID", value: ({ document_id }) => document_id, align: "right" },
  { head: "TITLE", value: (document) => documentLabel(document), minWidth: 20 },
  { head: "TYPE", value: ({ doc_type }) => doc_type },
  { head: "COLLECTION", value: ({ tags }) => splitTags(tags).collection },
  { head: "TAGS", value: ({ tags }) => splitTags(tags).tags.join(", "), minWidth: 8 },
  { head: "PATH", value: ({ source_path }) => source_path, minWidth: 12 },
  { head: "CHANGED", value: ({ updated_at, created_at }) => day(updated_at ?? created_at) },
];

/** Returns the title of a document, or its path, for people. */
export function documentLabel({ title, source_path }: {
  readonly title?: string | null | undefined;
  readonly source_path?: string | null | undefined;
}): string {
  return oneLine(title || source_path || "(no title)");
}

/** Returns the day of a time. */
export function day(time: string | null | undefined): string {
  return oneLine(time ?? "").slice(0, 10);
}

/** Returns the minute of a time, in UTC. */
export function minute(time: string | null | undefined): string {
  return oneLine(time ?? "").slice(0, 16).replace("T", " ");
}
