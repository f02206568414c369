import type { DatabaseSync } from "node:sqlite";
import { documentAtPath } from "./document_rows.ts";
import { storable } from "./sql.ts";

/**
 * Returns a path as it is given, composed and decomposed: macOS has file names in which `ü` is two code points, which
 * callers write as one.
 */
export function pathForms(path: string): string[] {
  const text = storable(path);
  return [...new Set([text, text.normalize("NFC"), text.normalize("NFD")])];
}

/** Returns the path of a document that is equal to this path, or else to one of its other forms. */
export function storedPath(db: DatabaseSync, path: string): string {
  const forms = pathForms(path);
  return forms.find((form) => documentAtPath(db, form)) ?? storable(path);
}
