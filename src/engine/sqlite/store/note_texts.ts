import type { DatabaseSync } from "node:sqlite";
import type { ChunkDraft } from "../../../extraction/mod.ts";
import { chunkDrafts } from "./chunks.ts";
import { first, run, storable } from "./sql.ts";

/** Text and place of a chunk. */
type PlacedText = Pick<
  ChunkDraft,
  "text" | "repeatedChars" | "charStart" | "charEnd" | "lineStart" | "lineEnd"
>;

/**
 * Joins the chunks of a note, without what each repeats from the previous one. Chunks omit the white space between
 * them: their lines say how many line breaks it had, and spaces fill the rest.
 *
 * @returns The text without white space at its end.
 */
export function joinChunks(chunks: readonly PlacedText[]): string {
  const parts: string[] = [];
  let at = 0;
  let line = 1;
  for (const { text: whole, repeatedChars = 0, charStart, charEnd, lineStart, lineEnd } of chunks) {
    const text = whole.slice(repeatedChars);
    if (charEnd <= at && at > 0) continue;
    if (charStart >= at) {
      const breaks = Math.min(charStart - at, Math.max(0, lineStart - line));
      parts.push("\n".repeat(breaks), " ".repeat(charStart - at - breaks), text);
    } else parts.push(text.slice(at - charStart));
    at = charEnd;
    line = lineEnd;
  }
  return parts.join("");
}

/** Stores the text of a note if its chunks do not reproduce it, as with tabs between them. */
export function storeNoteText(
  db: DatabaseSync,
  documentId: number,
  { text, chunks }: { readonly text: string; readonly chunks: readonly PlacedText[] },
): void {
  const exact = storable(text).trimEnd();
  if (joinChunks(chunks) === exact) return;
  run(db, "INSERT INTO note_texts (document_id, text) VALUES (?, ?)", documentId, exact);
}

/** Deletes the stored text of a note. */
export function removeNoteText(db: DatabaseSync, documentId: number): void {
  run(db, "DELETE FROM note_texts WHERE document_id = ?", documentId);
}

/** Returns the text of a note as it was written, without front matter and without white space at its end. */
export function noteText(db: DatabaseSync, documentId: number): string {
  return storedNoteText(db, documentId) ?? joinChunks(chunkDrafts(db, documentId));
}

/** Returns the text of a note if its chunks do not reproduce it. */
export function storedNoteText(db: DatabaseSync, documentId: number): string | undefined {
  return first<{ text: string }>(db, "SELECT text FROM note_texts WHERE document_id = ?", documentId)?.text;
}
