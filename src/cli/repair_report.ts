import type { DamagedDocument, RepairReport } from "../engine/mod.ts";
import { counted } from "./format.ts";

/** Maximum number of documents to list. */
const MAX_LISTED = 1000;

/** Formats the result of a repair for the operator. */
export function describeReport(
  { rows, lost, incomplete, untagged, missingCommits, unclaimedFiles, kept }: RepairReport,
): string {
  const lines = [
    `Recovered ${counted(rows["documents"] ?? 0, "document")} with ${
      counted(rows["chunks"] ?? 0, "chunk")
    }, ` +
    `${counted(rows["tags"] ?? 0, "tag")}, ${counted(rows["jobs"] ?? 0, "job")} and ${
      counted(rows["chunk_vectors"] ?? 0, "vector")
    }. ` +
    "The search index was rebuilt.",
  ];
  if ((rows["revisions"] ?? 0) > 0) {
    lines.push(`Recovered ${counted(rows["revisions"] ?? 0, "former or deleted version")} of documents.`);
  }
  if (missingCommits === undefined) {
    lines.push(
      "Whether the latest changes are missing cannot be determined: their number in kb.db is damaged.",
    );
  } else if (missingCommits > 0) {
    lines.push(
      `${counted(missingCommits, "acknowledged change")} did not reach kb.db and cannot be recovered.`,
    );
  }
  if (lost.length > 0) lines.push(`Lost ${counted(lost.length, "document")}:`, ...list(lost));
  if (incomplete.length > 0) {
    lines.push(
      `Incomplete, to be added again: ${counted(incomplete.length, "document")}:`,
      ...list(incomplete),
    );
  }
  if (untagged === undefined) {
    lines.push("The tags and collections of all documents could not be read, and are lost.");
  } else if (untagged.length > 0) {
    lines.push(
      `Tags or the collection of ${counted(untagged.length, "document")} are lost or could not be read:`,
      ...list(untagged),
    );
  }
  if (unclaimedFiles > 0) {
    lines.push(`Moved ${counted(unclaimedFiles, "queued file")} without a job out of the spool.`);
  }
  lines.push(keptFiles(kept));
  return `${lines.join("\n")}\n`;
}

/** Returns the result of a repair for programs. Null: it could not be determined. */
export function repairJson(
  { rows, lost, incomplete, untagged, missingCommits, unclaimedFiles, kept }: RepairReport,
): Record<string, unknown> {
  return {
    recovered: rows,
    lost: lost.map(documentJson),
    incomplete: incomplete.map(documentJson),
    untagged: untagged?.map(documentJson) ?? null,
    missing_commits: missingCommits ?? null,
    unclaimed_files: unclaimedFiles,
    kept,
  };
}

function documentJson({ id, title, sourcePath }: DamagedDocument): Record<string, unknown> {
  return { document_id: id, title, source_path: sourcePath };
}

/** Returns the line about the former files of a data directory. */
export function keptFiles(kept: readonly string[]): string {
  return `Kept the previous files: ${kept.join(", ")}. Remove them when you no longer need them.`;
}

function list(documents: readonly DamagedDocument[]): string[] {
  const lines = documents.slice(0, MAX_LISTED).map(({ id, title, sourcePath }) =>
    `  ${id}${title === null ? "" : ` ${JSON.stringify(title)}`}${
      sourcePath === null ? "" : ` from ${JSON.stringify(sourcePath)}`
    }`
  );
  const more = documents.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}
