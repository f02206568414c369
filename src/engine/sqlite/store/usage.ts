import type { DatabaseSync } from "node:sqlite";
import { run } from "./sql.ts";

/** Uses of a document since they were stored last. */
export interface DocumentUses {
  readonly documentId: number;
  readonly uses: number;
  /** In the format of `timestamp`. */
  readonly lastUsedAt: string;
}

/** Adds uses of documents. Ignores deleted ones. Changes neither versions nor `updated_at`. */
export function addUses(db: DatabaseSync, added: readonly DocumentUses[]): void {
  for (const { documentId, uses, lastUsedAt } of added) {
    run(
      db,
      `INSERT INTO document_usage (document_id, uses, last_used_at)
       SELECT id, ?, ? FROM documents WHERE id = ?
           ON CONFLICT (document_id) DO UPDATE
          SET uses = uses + excluded.uses, last_used_at = max(last_used_at, excluded.last_used_at)`,
      uses,
      lastUsedAt,
      documentId,
    );
  }
}
