import { DatabaseSync } from "node:sqlite";
import type { SearchRequest, SearchResponse } from "../../../../src/contract/mod.ts";
import { toSearchText } from "../../../../src/analysis/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { registerFunctions } from "../../../../src/engine/sqlite/store/mod.ts";

/** A document to search; each text is one chunk. */
export interface CorpusDocument {
  title: string;
  chunks: readonly (string | { text: string; headings?: readonly string[]; line?: number; page?: number })[];
  tags?: readonly string[];
  docType?: string;
  sourcePath?: string;
  createdAt?: string;
  updatedAt?: string;
}

/** Writes documents as the store does, and returns their ids. */
export function writeCorpus(db: DatabaseSync, documents: Iterable<CorpusDocument>): number[] {
  const addDocument = db.prepare(
    `INSERT INTO documents (title, search_title, doc_type, source_path, content_hash, size_bytes, chunk_count, created_at,
                            updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addChunk = db.prepare(
    `INSERT INTO chunks (document_id, position, text, search_text, heading_path, search_heading, line_start, page_start)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addIndexed = db.prepare(`INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)`);
  const addTag = db.prepare(`INSERT OR IGNORE INTO tags (name) VALUES (?)`);
  const tagDocument = db.prepare(
    `INSERT INTO document_tags (document_id, tag_id) SELECT ?, id FROM tags WHERE name = ?`,
  );
  const ids: number[] = [];
  db.exec("BEGIN");
  for (const document of documents) {
    const title = toSearchText(document.title);
    const { lastInsertRowid } = addDocument.run(
      document.title,
      title === document.title ? null : title,
      document.docType ?? "note",
      document.sourcePath ?? null,
      "",
      0,
      document.chunks.length,
      document.createdAt ?? "2026-01-01T00:00:00.000Z",
      document.updatedAt ?? null,
    );
    ids.push(Number(lastInsertRowid));
    document.chunks.forEach((given, position) => {
      const chunk = typeof given === "string" ? { text: given } : given;
      const body = toSearchText(chunk.text);
      const heading = toSearchText((chunk.headings ?? []).join(" "));
      const chunkId = addChunk.run(
        lastInsertRowid,
        position,
        chunk.text.toWellFormed(),
        body === chunk.text ? null : body,
        JSON.stringify(chunk.headings ?? []),
        heading,
        chunk.line ?? null,
        chunk.page ?? null,
      ).lastInsertRowid;
      addIndexed.run(chunkId, title, heading, body);
    });
    for (const tag of document.tags ?? []) {
      addTag.run(tag);
      tagDocument.run(lastInsertRowid, tag);
    }
  }
  db.exec("COMMIT");
  return ids;
}

/** Returns an in-memory database with the store's schema and the documents. */
export function memoryCorpus(documents: Iterable<CorpusDocument>): { db: DatabaseSync; ids: number[] } {
  const db = new DatabaseSync(":memory:");
  createSchema(db);
  return { db, ids: writeCorpus(db, documents) };
}

/** The statements of {@linkcode createSchema}. */
let schema: string | undefined;

/** Creates the store's schema: its final form, since to run all migrations takes longer than most tests. */
export function createSchema(db: DatabaseSync): void {
  registerFunctions(db);
  db.exec(schema ??= migratedSchema());
}

/** Runs the store's migrations, and returns statements that create the same tables with the same rows. */
function migratedSchema(): string {
  using db = new DatabaseSync(":memory:");
  registerFunctions(db);
  for (const { sql } of MIGRATIONS) db.exec(sql);
  const all = <Row>(sql: string) => db.prepare(sql).all() as Row[];
  const objects = all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL",
  );
  const indexes = objects.filter(({ sql }) => sql.includes("USING fts5")).map(({ name }) => name);
  // SQLite and FTS5 create their own tables.
  const created = objects.filter(({ name }) =>
    !name.startsWith("sqlite_") && !indexes.some((index) => name.startsWith(`${index}_`))
  );
  const rows = created.filter(({ sql }) => sql.startsWith("CREATE TABLE")).flatMap(({ name }) =>
    all<Record<string, number>>(`SELECT * FROM ${name}`).map((row) =>
      `INSERT INTO ${name} (${Object.keys(row)}) VALUES (${Object.values(row)})`
    )
  );
  const settings = indexes.flatMap((index) =>
    all<{ k: string; v: number }>(`SELECT k, v FROM ${index}_config WHERE k <> 'version'`).map(({ k, v }) =>
      `INSERT INTO ${index} (${index}, rank) VALUES ('${k}', ${v})`
    )
  );
  return [...created.map(({ sql }) => sql), ...rows, ...settings].join(";\n");
}

const searchers = new WeakMap<DatabaseSync, Searcher>();

/** Searches full text, with one searcher per database as in the engine. */
export function search(db: DatabaseSync, request: SearchRequest): Promise<SearchResponse> {
  let searcher = searchers.get(db);
  if (!searcher) searchers.set(db, searcher = new Searcher({ db }));
  return searcher.search(request);
}
