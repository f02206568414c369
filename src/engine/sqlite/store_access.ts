import type { DatabaseSync } from "node:sqlite";
import type { Writer } from "./writer/mod.ts";

/** Access to a store for the parts of its knowledge base. */
export interface StoreAccess {
  /** Runs a write operation. */
  readonly write: Writer["call"];
  /** Reads on the reading connection. */
  readonly read: <T>(work: (db: DatabaseSync) => T) => Promise<T>;
}
