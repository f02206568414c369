import type { DatabaseSync } from "node:sqlite";
import { renormalize } from "./renormalize.ts";
import { recordUnicodeVersion } from "./unicode_version.ts";
import { allowPackedTexts, dropChunkReference, removeJobChecks } from "./table_constraints.ts";

/**
 * The schema as named migrations. Append-only: a released migration must not change, since it has run on
 * existing databases. Each runs once, in order, in its own transaction, before the store is used.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: "v2",
    sql: `
      -- AUTOINCREMENT: agents remember ids, so the id of a deleted document must not be reused.
      CREATE TABLE documents (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        title        TEXT NOT NULL,
        search_title TEXT,              -- normalized for the index; NULL: equal to title
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
        search_text    TEXT,            -- normalized for the index; NULL: equal to text
        heading_path   TEXT NOT NULL,   -- JSON array of strings, outermost first
        search_heading TEXT NOT NULL,   -- the headings, joined and normalized
        page_start INTEGER, page_end INTEGER,
        line_start INTEGER, line_end INTEGER,
        char_start INTEGER, char_end INTEGER,
        UNIQUE (document_id, position)
      ) STRICT;

      -- Content of the full-text index. A view stores nothing twice, and FTS5's integrity check can compare the index
      -- with it.
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
      -- The queue of files, by number of attempts.
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
    // Otherwise FTS5 keeps the terms of deleted rows until their segments are merged.
    name: "fts_secure_delete",
    sql: `INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1);`,
  },
  {
    // Whether the title was derived from the text, and changes with it.
    name: "title_derived",
    sql: `ALTER TABLE documents ADD COLUMN title_derived INTEGER NOT NULL DEFAULT 0;`,
  },
  {
    // For listings of one type without sorting.
    name: "documents_by_type_and_recency",
    sql: `
      CREATE INDEX documents_by_type_and_recency
          ON documents (doc_type, coalesce(updated_at, created_at) DESC, id DESC);
      DROP INDEX documents_by_type;
    `,
  },
  {
    // Unused since the search reads the index itself; see drop_chunk_words.
    name: "chunk_words",
    sql: `
      CREATE VIRTUAL TABLE chunk_words USING fts5vocab (chunks_fts, row);
      CREATE VIRTUAL TABLE chunk_word_places USING fts5vocab (chunks_fts, instance);
    `,
  },
  {
    // A log of deleted chunks, for caches; see deletion_log.ts.
    name: "removed_chunks",
    sql: `
      CREATE TABLE removed_chunks (
        seq      INTEGER PRIMARY KEY AUTOINCREMENT,
        chunk_id INTEGER NOT NULL
      ) STRICT;
    `,
  },
  {
    // One set of vectors per model. The serving set with the largest id is used; a set that kb-mcp reindex
    // builds becomes serving when it has a vector for every chunk.
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
        seq      INTEGER PRIMARY KEY AUTOINCREMENT,   -- insertion order, in which caches load
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
    // Indexes subwords of identifiers, and character pairs of scripts without spaces.
    name: "search_parts",
    sql: "",
    run: renormalize,
  },
  {
    // Nothing reads these fts5vocab tables.
    name: "drop_chunk_words",
    sql: "DROP TABLE chunk_words; DROP TABLE chunk_word_places;",
  },
  {
    // Number of the last acknowledged commit, which a file outside the database repeats; see commit_marker.ts.
    name: "last_commit",
    sql: `
      CREATE TABLE last_commit (
        id     INTEGER PRIMARY KEY CHECK (id = 1),
        number INTEGER NOT NULL
      ) STRICT;
      INSERT INTO last_commit (id, number) VALUES (1, 0);
    `,
  },
  {
    // Languages of documents, and terms that their words derive, such as stems. Existing documents are analyzed
    // in the background; see analysis.ts. The terms have an index of their own: they must not change the lengths
    // of chunks, nor come between the words of a phrase.
    name: "languages",
    sql: `
      ALTER TABLE documents ADD COLUMN language TEXT;           -- ISO 639-1; NULL: unknown or not analyzed yet
      ALTER TABLE documents ADD COLUMN stemmed_languages TEXT;  -- languages of derived terms, separated by spaces
      ALTER TABLE documents ADD COLUMN analysis_version INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX documents_by_language ON documents (language);
      CREATE INDEX documents_by_stemmed_languages ON documents (stemmed_languages)
       WHERE stemmed_languages IS NOT NULL;
      CREATE INDEX documents_by_analysis ON documents (analysis_version);
      CREATE VIRTUAL TABLE derived_fts USING fts5 (
        title, heading, body,
        tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
      );
      INSERT INTO derived_fts (derived_fts, rank) VALUES ('secure-delete', 1);
    `,
  },
  {
    // Former versions of documents, deleted ones included; see revisions.ts. Constant defaults: no row is
    // rewritten, however many there are.
    name: "revisions",
    sql: `
      ALTER TABLE documents ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
      ALTER TABLE documents ADD COLUMN changed_by TEXT;         -- who made the last change; NULL: unknown
      CREATE TABLE revisions (
        id            INTEGER PRIMARY KEY,
        document_id   INTEGER NOT NULL, -- no foreign key: a deleted document lives in its revisions
        version       INTEGER NOT NULL,
        title         TEXT NOT NULL,
        title_derived INTEGER NOT NULL,
        doc_type      TEXT NOT NULL,
        source_path   TEXT,
        content_hash  TEXT NOT NULL,
        size_bytes    INTEGER NOT NULL,
        metadata      TEXT,
        chunk_count   INTEGER NOT NULL,
        created_at    TEXT NOT NULL,
        updated_at    TEXT,
        language      TEXT,
        tags          TEXT NOT NULL,    -- JSON array of strings
        change        TEXT NOT NULL,    -- the change that ended this version, with its time and author
        changed_at    TEXT NOT NULL,
        changed_by    TEXT,
        content       BLOB,             -- see revision_content.ts; NULL: equal to that of the next newer version
        UNIQUE (document_id, version)
      ) STRICT;
      CREATE INDEX revisions_by_time ON revisions (changed_at);
      -- Deleted documents that can be restored. Each is the revision of this version.
      CREATE TABLE trash (
        document_id INTEGER PRIMARY KEY,
        version     INTEGER NOT NULL,
        deleted_at  TEXT NOT NULL
      ) STRICT;
      CREATE INDEX trash_by_time ON trash (deleted_at DESC, document_id DESC);
      -- Exact texts of notes that their chunks do not reproduce.
      CREATE TABLE note_texts (
        document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        text        TEXT NOT NULL
      ) STRICT;
      -- How often searches and reads have returned a document.
      CREATE TABLE document_usage (
        document_id  INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        uses         INTEGER NOT NULL,
        last_used_at TEXT NOT NULL
      ) STRICT;
      ALTER TABLE jobs ADD COLUMN overwrite INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE jobs ADD COLUMN keep_collection INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE jobs ADD COLUMN actor TEXT;     -- who sent the job; NULL: unknown
      ALTER TABLE jobs ADD COLUMN details TEXT;   -- JSON object with further fields of the contract's job
    `,
  },
  {
    name: "job_requests",
    sql: `
      ALTER TABLE jobs ADD COLUMN request_id TEXT;   -- the request that sent the job, for the log; NULL: unknown
      ALTER TABLE jobs ADD COLUMN traceparent TEXT;  -- its trace (W3C Trace Context); NULL: not traced
    `,
  },
  {
    // Folders and websites whose files the engine keeps in sync; see source_operations.ts.
    name: "sources",
    sql: `
      CREATE TABLE sources (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        name       TEXT NOT NULL UNIQUE,
        type       TEXT NOT NULL,
        location   TEXT NOT NULL,     -- absolute path or URL
        options    TEXT NOT NULL,     -- JSON object
        configured INTEGER NOT NULL,
        last_sync  TEXT,              -- JSON object
        created_at TEXT NOT NULL
      ) STRICT;
      CREATE TABLE source_files (
        id           INTEGER PRIMARY KEY,
        source_id    INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
        path         TEXT NOT NULL,
        size_bytes   INTEGER NOT NULL,
        mtime        INTEGER NOT NULL, -- milliseconds since 1970, like the next two
        ctime        INTEGER NOT NULL,
        checked_at   INTEGER NOT NULL,
        content_hash TEXT,            -- NULL: must be read again
        document_id  INTEGER,         -- no foreign key: the document may be in the trash, from where it returns
        given_tags   TEXT NOT NULL,   -- JSON array: tags from the options of the source
        own_tags     TEXT NOT NULL,   -- JSON array: tags from the file
        error_code   TEXT,
        error        TEXT,
        details      TEXT,            -- JSON object
        UNIQUE (source_id, path)
      ) STRICT;
      CREATE INDEX source_files_by_document ON source_files (document_id);
      ALTER TABLE documents ADD COLUMN source TEXT; -- name of the source that it follows
    `,
  },
  {
    // Imported documents keep their creation time, so that ids no longer ascend with it.
    name: "documents_by_creation",
    sql: "CREATE INDEX documents_by_creation ON documents (created_at, id);",
  },
  {
    // Doubts about the text of a document, such as a guessed encoding. Those of a job are in its details.
    name: "warnings",
    sql: `
      ALTER TABLE documents ADD COLUMN warning TEXT;
      ALTER TABLE revisions ADD COLUMN warning TEXT;
    `,
  },
  {
    name: "repeated_headers",
    // Number of characters at the start of the text that repeat the header row of a table.
    sql: "ALTER TABLE chunks ADD COLUMN repeated_chars INTEGER NOT NULL DEFAULT 0;",
  },
  {
    // Jobs can be cancelled, and have other outcomes. The columns are those of queue_order.ts.
    name: "job_order",
    sql: `
      ALTER TABLE jobs ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;      -- files with a lower one are processed first
      ALTER TABLE jobs ADD COLUMN is_large INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE jobs ADD COLUMN work TEXT;    -- JSON object: progress of the stage in its own unit
      UPDATE jobs SET is_large = 1
       WHERE spool_file IS NOT NULL AND status IN ('queued', 'processing') AND size_bytes > 2097152;
      DROP INDEX jobs_waiting_files;
      CREATE INDEX jobs_waiting_files ON jobs (is_large, attempts, rank, id)
       WHERE status = 'queued' AND spool_file IS NOT NULL;
      -- Files with the same source_path are processed in the order in which they were accepted.
      CREATE INDEX jobs_unfinished_paths ON jobs (source_path, id)
       WHERE status IN ('queued', 'processing') AND spool_file IS NOT NULL AND source_path IS NOT NULL;
      -- Jobs that can be retried.
      CREATE INDEX jobs_retryable ON jobs (finished_at)
       WHERE status IN ('failed', 'cancelled') AND (spool_file IS NOT NULL OR text IS NOT NULL);
    `,
    run: removeJobChecks,
  },
  {
    // Texts that are written and removed in several transactions; see contents.ts.
    name: "contents",
    sql: `
      CREATE TABLE contents (
        id                INTEGER PRIMARY KEY, -- document_id of its chunks: larger than that of any document, or equal
        document_id       INTEGER UNIQUE,      -- the document with this text; NULL: hidden
        is_staged         INTEGER NOT NULL,    -- whether it is being written
        job_id            INTEGER,             -- by which job
        title             TEXT NOT NULL,       -- as it is in the index
        language          TEXT,                -- like the columns of documents, while it is being written
        stemmed_languages TEXT,
        analysis_version  INTEGER,
        chunk_count       INTEGER NOT NULL     -- number of its chunks in the table chunks
      ) STRICT;
      -- Chunks of the text of a revision, which are no longer in the table chunks.
      CREATE TABLE content_parts (
        content_id INTEGER NOT NULL REFERENCES contents (id) ON DELETE CASCADE,
        position   INTEGER NOT NULL,           -- of its first chunk
        chunks     BLOB NOT NULL,              -- see revision_content.ts
        UNIQUE (content_id, position)
      ) STRICT;
      ALTER TABLE revisions ADD COLUMN content_id INTEGER; -- its text, in place of the column content
      CREATE INDEX revisions_by_content ON revisions (content_id) WHERE content_id IS NOT NULL;
      DROP VIEW chunk_search;
      CREATE VIEW chunk_search AS
        SELECT c.id AS id,
               coalesce(x.title, d.search_title, d.title) AS title,
               c.search_heading AS heading,
               coalesce(c.search_text, c.text) AS body
          FROM chunks c LEFT JOIN contents x ON x.id = c.document_id LEFT JOIN documents d ON d.id = c.document_id;
    `,
    run: dropChunkReference,
  },
  {
    // Files in archives and messages; see contained_jobs.ts and attachments.ts.
    name: "contained_files",
    sql: `
      ALTER TABLE jobs ADD COLUMN parent_job_id INTEGER;             -- job of the archive or message; no foreign key: it is pruned
      ALTER TABLE jobs ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;  -- number of files that the file is inside of
      CREATE INDEX jobs_by_parent ON jobs (parent_job_id) WHERE parent_job_id IS NOT NULL;
      -- No foreign keys: both documents may be in the trash, from where they return.
      CREATE TABLE attachments (
        id          INTEGER PRIMARY KEY,
        parent_id   INTEGER NOT NULL,
        document_id INTEGER NOT NULL,
        is_owned    INTEGER NOT NULL,  -- 1: goes to the trash with its message; 0: was also uploaded for itself
        UNIQUE (parent_id, document_id)
      ) STRICT;
      CREATE INDEX attachments_by_document ON attachments (document_id);
    `,
  },
  {
    // Lengths and documents of chunks for a fast start. Filled in the background; see chunk_columns.ts.
    name: "chunk_columns",
    sql: `
      CREATE TABLE chunk_columns (
        page         INTEGER PRIMARY KEY, -- id of the first chunk divided by 4096
        lengths      BLOB NOT NULL,       -- 16 bits per chunk, little-endian: words with title and headings; 0: no chunk
        body_lengths BLOB NOT NULL,       -- 16 bits per chunk: words without title and headings
        contents     BLOB NOT NULL        -- chunks.document_id in 32 bits per chunk, or in 64 bits as floating point
      ) STRICT;
      -- The chunks and the entries of the deletion log that the columns contain.
      CREATE TABLE chunk_columns_coverage (
        id            INTEGER PRIMARY KEY CHECK (id = 1),
        last_chunk    INTEGER NOT NULL,
        last_deletion INTEGER NOT NULL
      ) STRICT;
      INSERT INTO chunk_columns_coverage (id, last_chunk, last_deletion)
      VALUES (1, 0, (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'removed_chunks'));
    `,
  },
  {
    // The normalized text of a chunk is computed in place of a second copy of the text; see search_text.ts. Rows of
    // older versions keep theirs until kb-mcp vacuum.
    name: "computed_search_text",
    sql: `
      DROP VIEW chunk_search;
      CREATE VIEW chunk_search AS
        SELECT c.id AS id,
               coalesce(x.title, d.search_title, d.title) AS title,
               CASE WHEN c.search_heading <> '' OR c.heading_path = '[]' THEN c.search_heading
                    ELSE kb_search_heading(c.heading_path) END AS heading,
               CASE WHEN c.search_text IS NULL THEN c.text
                    WHEN c.search_text = '' THEN kb_search_text(c.text)
                    ELSE c.search_text END AS body
          FROM chunks c LEFT JOIN contents x ON x.id = c.document_id LEFT JOIN documents d ON d.id = c.document_id;
    `,
  },
  {
    // Times ascend, so that new entries fill the last page of an index: at the start of a descending one, each split
    // leaves two half-empty pages. 64 bits of a hash suffice to find it.
    name: "compact_indexes",
    sql: `
      DROP INDEX documents_by_recency;
      CREATE INDEX documents_by_recency ON documents (coalesce(updated_at, created_at), id);
      DROP INDEX documents_by_type_and_recency;
      CREATE INDEX documents_by_type_and_recency ON documents (doc_type, coalesce(updated_at, created_at), id);
      DROP INDEX documents_by_hash;
      CREATE INDEX documents_by_hash ON documents (substr(content_hash, 1, 16));
    `,
  },
  {
    // Vectors with 10 bits per dimension; see stored_vector.ts and vector_conversion.ts.
    name: "compact_vectors",
    sql: `
      ALTER TABLE embedding_sets ADD COLUMN float32_seq INTEGER NOT NULL DEFAULT 0; -- up to this seq, vectors may be float32
      UPDATE embedding_sets SET float32_seq = coalesce((SELECT max(seq) FROM chunk_vectors WHERE set_id = embedding_sets.id), 0);
    `,
  },
  {
    // Codes of vectors, for a search that does not read them all; see vector_pages.ts.
    name: "vector_pages",
    sql: `
      ALTER TABLE embedding_sets ADD COLUMN mean BLOB; -- float32: mean of its vectors, from which codes are computed
      CREATE TABLE vector_pages (
        id            INTEGER PRIMARY KEY AUTOINCREMENT,
        set_id        INTEGER NOT NULL REFERENCES embedding_sets (id) ON DELETE CASCADE,
        last_seq      INTEGER NOT NULL,  -- of chunk_vectors: the page covers those after the previous page
        last_deletion INTEGER NOT NULL,  -- of removed_chunks, when the page was written
        sign_deviation REAL NOT NULL,    -- mean errors of estimates
        size_deviation REAL NOT NULL,
        checksum      INTEGER NOT NULL,  -- CRC-32 of the codes
        codes         BLOB NOT NULL,     -- see code_page.ts
        UNIQUE (set_id, last_seq)
      ) STRICT;
    `,
  },
  {
    // Unicode version of the runtime that normalized the text of the full-text index; see search_text.ts.
    name: "search_text_unicode",
    sql: "CREATE TABLE search_text_unicode (version TEXT NOT NULL) STRICT;",
    run: recordUnicodeVersion,
  },
  {
    // Jobs that change no document that is stored already.
    name: "add_only_jobs",
    sql: "ALTER TABLE jobs ADD COLUMN add_only INTEGER NOT NULL DEFAULT 0;",
  },
  {
    // Texts of chunks are packed with symbols of the store; see packed_texts.ts and text_symbols.ts. Those of older
    // versions stay as they are until kb-mcp vacuum.
    name: "packed_texts",
    sql: `
      CREATE TABLE text_symbols (
        id           INTEGER PRIMARY KEY,
        table_id     INTEGER NOT NULL,  -- CRC-32 of all symbols
        row_count    INTEGER NOT NULL,
        symbol_count INTEGER NOT NULL,
        first_code   INTEGER NOT NULL,
        last_chunk   INTEGER NOT NULL,  -- when the symbols were learned
        checksum     INTEGER NOT NULL,  -- CRC-32 of the other columns
        symbols      BLOB NOT NULL      -- see symbol_table.ts
      ) STRICT;
      CREATE TABLE text_symbols_copy (
        id           INTEGER PRIMARY KEY,
        table_id     INTEGER NOT NULL,
        row_count    INTEGER NOT NULL,
        symbol_count INTEGER NOT NULL,
        first_code   INTEGER NOT NULL,
        last_chunk   INTEGER NOT NULL,
        checksum     INTEGER NOT NULL,
        symbols      BLOB NOT NULL
      ) STRICT;
      DROP VIEW chunk_search;
      CREATE VIEW chunk_search AS
        SELECT c.id AS id,
               coalesce(x.title, d.search_title, d.title) AS title,
               CASE WHEN c.search_heading <> '' OR c.heading_path = '[]' THEN c.search_heading
                    ELSE kb_search_heading(c.heading_path) END AS heading,
               CASE WHEN c.search_text IS NULL THEN iif(typeof(c.text) = 'text', c.text, kb_text(c.text))
                    WHEN c.search_text = '' THEN kb_search_text(c.text)
                    ELSE c.search_text END AS body
          FROM chunks c LEFT JOIN contents x ON x.id = c.document_id LEFT JOIN documents d ON d.id = c.document_id;
    `,
    run: allowPackedTexts,
  },
  {
    // The file of a source whose document is in the trash. If it returns, so does the document; see source_documents.ts.
    name: "trashed_files",
    sql: `
      ALTER TABLE trash ADD COLUMN source_id INTEGER;  -- no foreign key: ids of sources are not used again
      ALTER TABLE trash ADD COLUMN path TEXT;
      ALTER TABLE trash ADD COLUMN given_tags TEXT;    -- as in source_files
      ALTER TABLE trash ADD COLUMN own_tags TEXT;
      CREATE INDEX trash_by_file ON trash (source_id, path) WHERE source_id IS NOT NULL;
    `,
  },
];

/** A named change of the schema. */
export interface Migration {
  /** Recorded in `schema_migrations`. */
  readonly name: string;
  /** Statements, run with `DatabaseSync.exec`. */
  readonly sql: string;
  /** Runs after the statements. Must accept the data of every version that has the previous migrations. */
  readonly run?: (db: DatabaseSync) => void;
}
