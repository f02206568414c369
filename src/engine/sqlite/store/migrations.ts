import type { DatabaseSync } from "node:sqlite";
import { normalizeAgain } from "./normalize_again.ts";

/**
 * The schema, as named steps. Append only: a step that has shipped never changes, since it has already run on
 * somebody's data. Each runs once, in order, in its own transaction, before anything else touches the store.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: "v2",
    sql: `
      -- AUTOINCREMENT: agents remember ids, so the id of a deleted document must never mean another one.
      CREATE TABLE documents (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        title        TEXT NOT NULL,
        search_title TEXT,              -- normalised for the index; NULL: the same as title
        doc_type     TEXT NOT NULL,
        source_path  TEXT UNIQUE,
        content_hash TEXT NOT NULL,     -- SHA-256 of the source bytes, hexadecimal
        size_bytes   INTEGER NOT NULL,
        metadata     TEXT,              -- front matter, as a JSON object
        chunk_count  INTEGER NOT NULL,
        created_at   TEXT NOT NULL      -- ISO 8601 in UTC with milliseconds, so that text order is time order
      ) STRICT;
      CREATE INDEX documents_by_hash ON documents (content_hash);
      CREATE INDEX documents_by_type ON documents (doc_type);

      CREATE TABLE chunks (
        id             INTEGER PRIMARY KEY AUTOINCREMENT,
        document_id    INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        position       INTEGER NOT NULL,
        text           TEXT NOT NULL,
        search_text    TEXT,            -- normalised for the index; NULL: the same as text
        heading_path   TEXT NOT NULL,   -- JSON array of strings, outermost first
        search_heading TEXT NOT NULL,   -- the headings as one normalised text
        page_start INTEGER, page_end INTEGER,
        line_start INTEGER, line_end INTEGER,
        char_start INTEGER, char_end INTEGER,
        UNIQUE (document_id, position)
      ) STRICT;

      -- What the full-text index was built from. Being a view, it stores nothing twice, and FTS5's own
      -- integrity check can compare the index with it.
      CREATE VIEW chunk_search AS
        SELECT c.id AS id,
               coalesce(d.search_title, d.title) AS title,
               c.search_heading AS heading,
               coalesce(c.search_text, c.text) AS body
          FROM chunks c JOIN documents d ON d.id = c.document_id;
      CREATE VIRTUAL TABLE chunks_fts USING fts5 (
        title, heading, body,
        content = 'chunk_search', content_rowid = 'id',
        tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So Mn Mc'"
      );

      CREATE TABLE tags (
        id   INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
      ) STRICT;
      CREATE TABLE document_tags (
        document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        tag_id      INTEGER NOT NULL REFERENCES tags (id),
        PRIMARY KEY (document_id, tag_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX document_tags_by_tag ON document_tags (tag_id, document_id);

      CREATE TABLE jobs (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        status       TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'done', 'failed')),
        stage        TEXT NOT NULL,
        progress     REAL NOT NULL,
        attempts     INTEGER NOT NULL DEFAULT 0,
        text         TEXT,              -- a note's text, until the job has ended
        spool_file   TEXT,              -- name of a file's bytes in the spool directory, until the job has ended
        filename     TEXT,
        content_type TEXT,
        content_hash TEXT NOT NULL,
        size_bytes   INTEGER NOT NULL,
        title        TEXT,
        source_path  TEXT,
        tags         TEXT NOT NULL,     -- JSON array of strings
        document_id  INTEGER,           -- no foreign key: the job outlives its document
        outcome      TEXT CHECK (outcome IN ('created', 'duplicate', 'replaced')),
        error        TEXT,
        error_code   TEXT,
        created_at   TEXT NOT NULL,
        started_at   TEXT,
        finished_at  TEXT
      ) STRICT;
      CREATE INDEX jobs_by_status ON jobs (status, id);
      -- The queue of files: those that were interrupted least often come first.
      CREATE INDEX jobs_waiting_files ON jobs (attempts, id) WHERE status = 'queued' AND spool_file IS NOT NULL;
    `,
  },
  {
    // Decision D4: NULL until a document is modified; "recent" is always COALESCE(updated_at, created_at).
    name: "updated_at",
    sql: `
      ALTER TABLE documents ADD COLUMN updated_at TEXT;
      CREATE INDEX documents_by_recency ON documents (coalesce(updated_at, created_at) DESC, id DESC);
    `,
  },
  {
    // Without it FTS5 leaves the words of a deleted row in the index's segments until they happen to be merged.
    name: "fts_secure_delete",
    sql: `INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1);`,
  },
  {
    // Whether nobody gave the title: the first line of the text, to be taken anew when the text changes.
    name: "title_derived",
    sql: `ALTER TABLE documents ADD COLUMN title_derived INTEGER NOT NULL DEFAULT 0;`,
  },
  {
    // A listing of one type in its order, without sorting all of that type.
    name: "documents_by_type_and_recency",
    sql: `
      CREATE INDEX documents_by_type_and_recency
          ON documents (doc_type, coalesce(updated_at, created_at) DESC, id DESC);
      DROP INDEX documents_by_type;
    `,
  },
  {
    // The index's own lists of words and where they stand, for whoever looks into a store; the search reads the index itself. They
    // store nothing.
    // Part of the schema and not TEMP, because a connection with query_only may not create even those.
    name: "chunk_words",
    sql: `
      CREATE VIRTUAL TABLE chunk_words USING fts5vocab (chunks_fts, row);
      CREATE VIRTUAL TABLE chunk_word_places USING fts5vocab (chunks_fts, instance);
    `,
  },
  {
    // Whoever keeps parts of the store in memory reads on from the last seq it has seen. Old entries are pruned: a reader that
    // misses some starts over.
    name: "removed_chunks",
    sql: `
      CREATE TABLE removed_chunks (
        seq      INTEGER PRIMARY KEY AUTOINCREMENT,
        chunk_id INTEGER NOT NULL
      ) STRICT;
    `,
  },
  {
    // One set of vectors for each model that the chunks were embedded with. The serving set with the largest id is the one
    // in use; a set that is being built (kb-mcp reindex) becomes serving when it has every chunk.
    name: "embeddings",
    sql: `
      CREATE TABLE embedding_sets (
        id              INTEGER PRIMARY KEY AUTOINCREMENT,
        model           TEXT NOT NULL,
        document_prefix TEXT NOT NULL,
        dimensions      INTEGER,          -- NULL until the first vector is known
        status          TEXT NOT NULL CHECK (status IN ('building', 'serving')),
        created_at      TEXT NOT NULL
      ) STRICT;
      CREATE TABLE chunk_vectors (
        seq      INTEGER PRIMARY KEY AUTOINCREMENT,   -- in order of arrival: readers go on after the last they have
        chunk_id INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
        set_id   INTEGER NOT NULL REFERENCES embedding_sets (id),
        vector   BLOB NOT NULL,           -- float32, little-endian, of length 1; empty: the model refused the text
        UNIQUE (chunk_id, set_id)
      ) STRICT;
      CREATE INDEX chunk_vectors_by_set ON chunk_vectors (set_id, seq);
      CREATE INDEX chunk_vectors_refused ON chunk_vectors (set_id) WHERE length(vector) = 0;
    `,
  },
  {
    // The words inside of names in code, and pairs of characters of texts without spaces.
    name: "search_parts",
    sql: "",
    then: normalizeAgain,
  },
];

/** One named step of the schema. */
export interface Migration {
  /** Recorded in `schema_migrations` once it has run. */
  readonly name: string;
  /** Statements, run with `DatabaseSync.exec`. */
  readonly sql: string;
  /** What SQL cannot do, done after the statements. It may run on data of any version that had the steps before. */
  readonly then?: (db: DatabaseSync) => void;
}
