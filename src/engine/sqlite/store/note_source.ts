import { createHash } from "node:crypto";
import { storable } from "./sql.ts";

/** Text of a note, with its hash and size. */
export interface NoteSource {
  readonly text: string;
  readonly contentHash: string;
  readonly sizeBytes: number;
}

/**
 * Normalizes line breaks to `\n` and hashes the text. Multipart forms send `\r\n` and JSON does not, but the
 * same note must have the same hash.
 */
export function noteSource(text: string): NoteSource {
  const clean = storable(text).replace(/\r\n?/g, "\n");
  const bytes = new TextEncoder().encode(clean);
  return {
    text: clean,
    contentHash: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
  };
}
