import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { createHash } from "node:crypto";
import {
  all,
  contentIdOf,
  count,
  DOCUMENT_OF_CHUNK,
  isOutOfMemory,
  isStorageFailure,
  MAX_DOCUMENT_ID,
  run,
} from "../store/mod.ts";
import { carveRows, type Value } from "./carve.ts";
import type { PageFile } from "./page_file.ts";
import { readableRows, type Row } from "./readable_rows.ts";
import { addContentRow, repairContents } from "./salvage_contents.ts";
import { repairRevisions } from "./salvage_revisions.ts";
import { TextSalvage } from "./salvage_texts.ts";

/** A document that lost text. */
export interface DamagedDocument {
  readonly id: number;
  /** Null if the row of the document could not be read. */
  readonly title: string | null;
  readonly sourcePath: string | null;
}

/** Result of {@linkcode salvage}. */
export interface Salvaged {
  /** Number of recovered rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Documents whose text is gone. They are removed, so that they can be added again. */
  readonly lost: readonly DamagedDocument[];
  /** Documents of which parts are gone, or whose title was made up. Adding the same file again restores them. */
  readonly incomplete: readonly DamagedDocument[];
  /**
   * Documents whose tags or collection are lost or could not be read. Undefined if no assignment of a tag to a
   * document could be read.
   */
  readonly untagged: readonly DamagedDocument[] | undefined;
}

/** Tables in the order of their references, with the column that is the rowid. */
const TABLES = [
  "embedding_sets",
  "tags",
  "documents",
  "contents",
  "content_parts",
  "chunks",
  "jobs",
  "chunk_vectors",
  "revisions",
  "note_texts",
  "document_usage",
  "sources",
  "source_files",
  "attachments",
] as const;

type Table = typeof TABLES[number];

/** Columns that are the rowid, where it is not `id`. */
const ROWIDS: { readonly [table in Table]?: string } = {
  chunk_vectors: "seq",
  content_parts: "rowid",
  note_texts: "document_id",
  document_usage: "document_id",
};

const DOC_TYPES: readonly unknown[] = ["note", "text", "markdown", "html", "pdf", "docx"];
const JOB_STATUSES: readonly unknown[] = ["queued", "processing", "done", "failed", "cancelled"];
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether the values of a row of an unknown table are those of this table. The columns only grow in number. */
const IS_ROW_OF: Readonly<Record<Table, (values: readonly Value[]) => boolean>> = {
  embedding_sets: (v) => v.length >= 6 && v.length <= 8 && (v[4] === "building" || v[4] === "serving"),
  tags: (v) => v.length === 2 && v[0] === null && typeof v[1] === "string",
  documents: (v) =>
    v.length >= 10 && v.length <= 24 && DOC_TYPES.includes(v[3]) && /^[0-9a-f]{64}$/.test(String(v[5])),
  contents: (v) =>
    v.length === 9 && Number(v[8]) >= 0 && (v[2] === 0 || v[2] === 1) && typeof v[4] === "string",
  content_parts: (v) => v.length === 3 && typeof v[0] === "number" && v[2] instanceof Uint8Array,
  chunks: (v) =>
    v.length >= 13 && v.length <= 14 && typeof v[1] === "number" &&
    (typeof v[3] === "string" || v[3] instanceof Uint8Array && typeof v[5] === "string"),
  jobs: (v) => v.length >= 21 && v.length <= 33 && JOB_STATUSES.includes(v[1]),
  chunk_vectors: (v) => v.length === 4 && typeof v[1] === "number" && v[3] instanceof Uint8Array,
  revisions: (v) =>
    v.length >= 19 && v.length <= 24 && DOC_TYPES.includes(v[5]) && /^[0-9a-f]{64}$/.test(String(v[7])),
  // Like rows of other tables, and not needed: chunks have the text, too.
  note_texts: () => false,
  document_usage: () => false,
  sources: (v) => v.length === 8 && typeof v[2] === "string" && (v[2] === "folder" || v[2] === "web"),
  // The next synchronization finds the files again.
  source_files: () => false,
  // Like rows of other tables, and not needed: the messages name their attachments, too.
  attachments: () => false,
};

/** The disk of the new database is full or failing: rows that can be read would be lost. */
export class TargetFullError extends Error {
  /** Always `TargetFullError`. */
  override name = "TargetFullError";

  constructor(options: ErrorOptions) {
    super("The new database cannot be written", options);
  }
}

/** Options of {@linkcode salvage}. */
export interface SalvageOptions {
  /** Connection to the damaged database. */
  readonly from: DatabaseSync;
  /** Pages of the damaged database, for rows that the connection does not reach. */
  readonly pages: PageFile;
  /** Connection to a new database with the same schema. */
  readonly to: DatabaseSync;
  /** Clock, in the format of `timestamp`. */
  readonly now: () => string;
}

/**
 * Copies every readable row, and makes the copy consistent. Does not rebuild the full-text index.
 *
 * @throws {TargetFullError} When a row cannot be written.
 */
export function salvage({ from, pages, to, now }: SalvageOptions): Salvaged {
  const rows: Record<string, number> = {};
  const texts = new TextSalvage(from, pages);
  to.exec("BEGIN");
  for (const table of TABLES) rows[table] = copyTable({ from, pages, to, now }, table, texts);
  const hasContents = columnsOf(to, "contents").length > 0;
  if (hasContents) repairContents(to);
  if (columnsOf(to, "chunk_vectors").length > 0) {
    const unusable = run(
      to,
      `DELETE FROM chunk_vectors WHERE chunk_id NOT IN (SELECT id FROM chunks)
          OR set_id NOT IN (SELECT id FROM embedding_sets)`,
    ).changes;
    rows["chunk_vectors"] = (rows["chunk_vectors"] ?? 0) - unusable;
  }
  const orphans = addMissingDocuments(to, now, hasContents);
  const tags = copyTags(from, to);
  rows["document_tags"] = tags.copied;
  const damaged = closeGaps(to, hasContents);
  if (columnsOf(to, "revisions").length > 0) {
    const incomplete = [...damaged, ...orphans].map(({ id }) => id);
    rows["revisions"] = (rows["revisions"] ?? 0) - repairRevisions(to, { incomplete, now });
    for (const table of ["note_texts", "document_usage"]) {
      run(to, `DELETE FROM ${table} WHERE document_id NOT IN (SELECT id FROM documents)`);
    }
  }
  if (columnsOf(to, "sources").length > 0) {
    // The next synchronization of a source adds the files whose row is lost again, and finds their documents.
    run(to, "DELETE FROM source_files WHERE source_id NOT IN (SELECT id FROM sources)");
    run(to, "UPDATE documents SET source = NULL WHERE source NOT IN (SELECT name FROM sources)");
  }
  copySequences(from, to);
  to.exec("COMMIT");
  const lost = damaged.filter(({ chunks }) => chunks === 0);
  return {
    rows: { ...rows, documents: count(to, "SELECT count(*) AS n FROM documents") },
    lost: [...lost, ...documentsWithoutRows(from, to, lost)].map(toDamagedDocument),
    incomplete: [...damaged.filter(({ chunks }) => chunks > 0), ...orphans].map(toDamagedDocument),
    untagged: tags.untagged && remainingDocuments(to, tags.untagged),
  };
}

function copyTable({ from, pages, to, now }: SalvageOptions, table: Table, texts: TextSalvage): number {
  const columns = columnsOf(to, table);
  if (columns.length === 0) return 0; // an older version does not have it
  const insert = to.prepare(
    `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
  );
  let copied = 0;
  const copy = (row: Row) => {
    const values = repairRow(table, row, now);
    // Texts are unpacked, also because some symbols may be lost. One that cannot be read violates a constraint.
    if (table === "chunks") values["text"] = texts.textOf(values["text"]);
    try {
      insert.run(...columns.map((column) => (values[column] ?? null) as SQLInputValue));
      copied++;
    } catch (cause) {
      if (isStorageFailure(cause)) throw new TargetFullError({ cause });
      if (isOutOfMemory(cause)) throw cause;
      // A damaged value that violates a constraint, or a row that is there already.
    }
  };
  const id = ROWIDS[table] ?? "id";
  let isDamaged = false;
  try {
    const rows = readableRows(from, { table, id, columns, onDamage: () => isDamaged = true });
    for (const row of rows) copy({ ...row, [id]: row.id });
  } catch (error) {
    if (error instanceof TargetFullError || isOutOfMemory(error)) throw error;
    isDamaged = true; // the table is not in the schema any more
  }
  if (!isDamaged) return copied;
  if (table === "tags") { for (const tag of indexedTags(from)) copy(tag); }
  for (const { id: rowid, values } of carveRows(pages)) {
    if (!IS_ROW_OF[table](values)) continue;
    const row = Object.fromEntries(columns.map((column, at) => [column, values[at]]));
    // Columns that a later migration added.
    if (table === "documents") {
      row["title_derived"] ??= 0;
      row["analysis_version"] ??= 0;
      row["version"] ??= 1;
    }
    if (table === "jobs") {
      row["overwrite"] ??= 0;
      row["keep_collection"] ??= 0;
      row["add_only"] ??= 0;
      row["rank"] ??= 0;
      row["is_large"] ??= 0;
      row["depth"] ??= 0;
    }
    copy({ ...row, [id]: rowid, id: rowid });
  }
  return copied;
}

/** Replaces damaged values that the engine parses. */
function repairRow(
  table: string,
  row: Row & Record<string, unknown>,
  now: () => string,
): Record<string, unknown> {
  const created = "created_at" in row && !TIMESTAMP.test(String(row["created_at"]))
    ? { created_at: now() }
    : {};
  switch (table) {
    case "documents":
      return {
        ...row,
        ...created,
        doc_type: DOC_TYPES.includes(row["doc_type"]) ? row["doc_type"] : "text",
        metadata: isJson(row["metadata"], isRecord) ? row["metadata"] : null,
        updated_at: TIMESTAMP.test(String(row["updated_at"])) ? row["updated_at"] : null,
      };
    case "chunks":
      // A row without a valid position violates a constraint, and is dropped.
      return {
        ...row,
        position: Number(row["position"]) >= 0 ? row["position"] : null,
        heading_path: isJson(row["heading_path"], Array.isArray) ? row["heading_path"] : "[]",
        repeated_chars: Number.isInteger(row["repeated_chars"]) ? row["repeated_chars"] : 0,
      };
    case "jobs":
      return { ...row, ...created, tags: isJson(row["tags"], Array.isArray) ? row["tags"] : "[]" };
    case "revisions":
      return {
        ...row,
        ...created,
        tags: isJson(row["tags"], Array.isArray) ? row["tags"] : "[]",
        metadata: isJson(row["metadata"], isRecord) ? row["metadata"] : null,
        updated_at: TIMESTAMP.test(String(row["updated_at"])) ? row["updated_at"] : null,
        changed_at: TIMESTAMP.test(String(row["changed_at"])) ? row["changed_at"] : now(),
      };
    default:
      return { ...row, ...created };
  }
}

/** Creates a document for chunks whose document could not be read. */
function addMissingDocuments(db: DatabaseSync, now: () => string, hasContents: boolean): DocumentChunks[] {
  const orphans = all<{ content: number; document: number; chunks: number }>(
    db,
    `SELECT c.document_id AS content, ${hasContents ? DOCUMENT_OF_CHUNK : "c.document_id"} AS document,
            count(*) AS chunks
       FROM chunks c GROUP BY 1, 2 HAVING document NOT IN (SELECT id FROM documents)`,
  );
  return orphans.map(({ content, document, chunks }) => {
    // The row of a long text, which had the id of its document, may be lost.
    const id = document <= MAX_DOCUMENT_ID
      ? document
      : count(db, "SELECT coalesce(max(id), 0) + 1 AS n FROM documents");
    const title = `Recovered document ${id}`;
    run(
      db,
      `INSERT INTO documents (id, title, doc_type, content_hash, size_bytes, chunk_count, created_at)
       VALUES (?, ?, 'text', ?, (SELECT sum(octet_length(text)) FROM chunks WHERE document_id = ?), ?, ?)`,
      id,
      title,
      otherHash(title),
      content,
      chunks,
      now(),
    );
    if (document > MAX_DOCUMENT_ID) addContentRow(db, content, { documentId: id, title, chunks });
    return { id, title, source_path: null, content_hash: "", chunks };
  });
}

/** Yields the tags in the unique index of their names: it has the columns of the table on other pages. */
function* indexedTags(from: DatabaseSync): Generator<Row> {
  // From both ends to the first damaged page.
  for (const order of ["ASC", "DESC"]) {
    try {
      const tags = from.prepare(
        `SELECT id, name FROM tags INDEXED BY sqlite_autoindex_tags_1 ORDER BY name ${order}`,
      );
      for (const tag of tags.iterate()) if (Number.isSafeInteger(tag.id)) yield tag as Row;
    } catch {
      // A damaged page, or the index is not in the schema any more.
    }
  }
}

/** Statements that read the tags of a document. The index has the columns of the table on other pages. */
const DOCUMENT_TAGS = [
  "SELECT tag_id FROM document_tags WHERE document_id = ?",
  "SELECT tag_id FROM document_tags INDEXED BY document_tags_by_tag WHERE document_id = ?",
];

/**
 * Copies the tags of each document by its id: the table has no rowid.
 *
 * @returns The number of copied rows, and the ids of the documents whose tags are lost or unreadable; these are
 * undefined if the tags of every document are unreadable.
 */
function copyTags(from: DatabaseSync, to: DatabaseSync): { copied: number; untagged?: readonly number[] } {
  const documents = all<{ id: number }>(to, "SELECT id FROM documents");
  const untagged: number[] = [];
  let copied = 0;
  let unreadable = 0;
  for (const { id } of documents) {
    const reads = DOCUMENT_TAGS.map((select) => readTagIds(from, select, id));
    const tagIds = new Set(reads.flatMap((ids) => ids ?? []));
    let kept = 0;
    for (const tagId of tagIds) {
      kept += run(
        to,
        "INSERT OR IGNORE INTO document_tags (document_id, tag_id) SELECT ?, id FROM tags WHERE id = ?",
        id,
        tagId,
      ).changes;
    }
    copied += kept;
    const isUnreadable = reads.every((ids) => ids === undefined);
    if (isUnreadable) unreadable++;
    if (isUnreadable || kept < tagIds.size) untagged.push(id);
  }
  return unreadable > 0 && unreadable === documents.length ? { copied } : { copied, untagged };
}

/** Returns undefined for a damaged page. */
function readTagIds(db: DatabaseSync, select: string, documentId: number): number[] | undefined {
  try {
    return all<{ tag_id: number }>(db, select, documentId).map(({ tag_id }) => tag_id);
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    return undefined;
  }
}

/** Returns the documents with these ids that are in the database. */
function remainingDocuments(db: DatabaseSync, ids: readonly number[]): DamagedDocument[] {
  return all<{ id: number; title: string; sourcePath: string | null }>(
    db,
    `SELECT id, title, source_path AS sourcePath FROM documents
      WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    JSON.stringify(ids),
  );
}

interface DocumentChunks {
  readonly id: number;
  readonly title: string | null;
  readonly source_path: string | null;
  readonly content_hash: string;
  /** Number of chunks. */
  readonly chunks: number;
}

/**
 * Numbers the chunks of incomplete documents without gaps, and removes documents without any. Gives the
 * incomplete ones another hash, so that the same content is not rejected as a duplicate.
 */
function closeGaps(db: DatabaseSync, hasContents: boolean): DocumentChunks[] {
  const damaged = all<DocumentChunks>(
    db,
    `SELECT d.id, d.title, d.source_path, d.content_hash, count(c.id) AS chunks
       FROM documents d LEFT JOIN chunks c
            ON c.document_id = ${
      hasContents ? "coalesce((SELECT id FROM contents WHERE document_id = d.id), d.id)" : "d.id"
    } GROUP BY d.id
     HAVING count(c.id) <> d.chunk_count OR coalesce(max(c.position), -1) <> count(c.id) - 1`,
  );
  for (const { id, content_hash, chunks } of damaged) {
    if (chunks === 0) {
      run(db, "DELETE FROM document_tags WHERE document_id = ?", id);
      run(db, "DELETE FROM documents WHERE id = ?", id);
      if (hasContents) run(db, "DELETE FROM contents WHERE document_id = ?", id);
      continue;
    }
    const ids = all<{ id: number }>(
      db,
      "SELECT id FROM chunks WHERE document_id = ? ORDER BY position",
      hasContents ? contentIdOf(db, id) : id,
    );
    // In this order no position is used twice.
    for (const [position, chunk] of ids.entries()) {
      run(db, "UPDATE chunks SET position = ? WHERE id = ?", position, chunk.id);
    }
    run(
      db,
      "UPDATE documents SET chunk_count = ?, content_hash = ? WHERE id = ?",
      chunks,
      otherHash(content_hash),
      id,
    );
  }
  return damaged;
}

/** Documents that only their tags show. */
function documentsWithoutRows(
  from: DatabaseSync,
  to: DatabaseSync,
  lost: readonly DocumentChunks[],
): DocumentChunks[] {
  try {
    const tagged = all<{ id: number }>(from, "SELECT DISTINCT document_id AS id FROM document_tags");
    const known = new Set(
      [...all<{ id: number }>(to, "SELECT id FROM documents"), ...lost].map(({ id }) => id),
    );
    return tagged.filter(({ id }) => !known.has(id))
      .map(({ id }) => ({ id, title: null, source_path: null, content_hash: "", chunks: 0 }));
  } catch {
    return [];
  }
}

/** Ids of deleted documents must not be used again: agents remember them. */
function copySequences(from: DatabaseSync, to: DatabaseSync): void {
  const names = ["documents", "chunks", "jobs", "embedding_sets", "chunk_vectors"];
  for (const name of names) {
    const used = [
      `SELECT seq AS n FROM sqlite_sequence WHERE name = '${name}'`,
      ...name === "documents"
        ? ["SELECT max(document_id) AS n FROM jobs", "SELECT max(document_id) AS n FROM revisions"]
        : [],
    ].flatMap((sql) => [from, to].map((db) => safeCount(db, sql)));
    const last = Math.max(...used);
    if (last === 0) continue;
    run(to, "DELETE FROM sqlite_sequence WHERE name = ?", name);
    run(to, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", name, last);
  }
}

/** Returns 0 for a value that cannot be read or is no plausible id. */
function safeCount(db: DatabaseSync, sql: string): number {
  try {
    const n = count(db, sql);
    return Number.isSafeInteger(n) && n < 2 ** 48 ? n : 0;
  } catch {
    return 0;
  }
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  return all<{ name: string }>(db, `SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name);
}

function otherHash(hash: string): string {
  return createHash("sha256").update(`incomplete ${hash}`).digest("hex");
}

function isJson(text: unknown, check: (value: unknown) => boolean): boolean {
  try {
    return check(JSON.parse(String(text)));
  } catch {
    return false;
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toDamagedDocument({ id, title, source_path }: DocumentChunks): DamagedDocument {
  return { id, title, sourcePath: source_path };
}
