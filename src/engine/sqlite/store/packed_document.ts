import { deserialize, serialize } from "node:v8";
import type { PackedDocument, TextDocument } from "../../knowledge_base/mod.ts";

/**
 * Packs a document for another thread. The thread in between copies its bytes, where it would read and write hundreds of
 * strings.
 */
export function packDocument(document: TextDocument): PackedDocument {
  return { bytes: new Uint8Array(serialize(document)), chunkCount: document.chunks.length };
}

/** Returns the document that {@linkcode packDocument} was given. */
export function unpackDocument({ bytes }: PackedDocument): TextDocument {
  return deserialize(bytes) as TextDocument;
}
