import type { DatabaseSync } from "node:sqlite";
import { unicodeForms } from "../../../text/mod.ts";
import { documentAtPath, type DocumentRow } from "./document_rows.ts";
import { storable } from "./sql.ts";

/** Returns a path as it is given, composed and decomposed. */
export function pathForms(path: string): string[] {
  return unicodeForms(storable(path));
}

/** Returns the document at this path, or else at one of its other forms. */
export function documentAtPathForm(db: DatabaseSync, path: string): DocumentRow | undefined {
  for (const form of pathForms(path)) {
    const document = documentAtPath(db, form);
    if (document) return document;
  }
  return undefined;
}

/** Returns the path of a document that is equal to this path, or else to one of its other forms. */
export function storedPath(db: DatabaseSync, path: string): string {
  return documentAtPathForm(db, path)?.source_path ?? storable(path);
}
