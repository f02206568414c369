/**
 * The SQLite back end of the engine: full text by FTS5, vectors in a thread of their own, one writer thread.
 *
 * @module
 */
export { reindex, type ReindexOptions } from "./backfill/mod.ts";
export { SqliteKnowledgeBase, type SqliteOptions } from "./sqlite_knowledge_base.ts";
export { dataDirAt, DataDirError } from "./store/mod.ts";
