import type { DatabaseSync } from "node:sqlite";
import { unicodeForms } from "../../../text/mod.ts";
import { documentAtPath } from "./document_rows.ts";
import { storable } from "./sql.ts";

/** Returns a path as it is given, composed and decomposed. */
export function pathForms(path: string): string[] {
  return unicodeForms(storable(path));
}

/** Returns the path of a document that is equal to this path, or else to one of its other forms. */
export function storedPath(db: DatabaseSync, path: string): string {
  const forms = pathForms(path);
  return forms.find((form) => documentAtPath(db, form)) ?? storable(path);
}
