import type { DatabaseSync } from "node:sqlite";
import { allArrays } from "../store/read_only.ts";
import { ChunkCache, type SizedValue } from "./chunk_cache.ts";

/** A document of a page as it is in the database. */
export interface StoredDocument {
  readonly id: number;
  readonly title: string;
  readonly doc_type: string;
  readonly language: string | null;
  readonly stemmed_languages: readonly string[];
  readonly source_path: string | null;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly tags: readonly string[];
}

/** Columns of a document. */
type DocumentRow = readonly [
  id: number,
  title: string,
  docType: string,
  sourcePath: string | null,
  createdAt: string,
  updatedAt: string | null,
  language: string | null,
  /** Separated by spaces. */
  stemmedLanguages: string | null,
  /** JSON array of strings. */
  tags: string,
];

/** Size of the objects of a document, in UTF-16 code units. */
const OBJECTS_SIZE = 256;
/** Maximum size of all documents in memory, in UTF-16 code units. */
const MAX_CACHED_CHARS = 2 ** 19;

/** Reads documents. Those that searches return often stay in memory until the database changes. */
export class StoredDocuments {
  readonly #db: DatabaseSync;
  readonly #cache = new ChunkCache<StoredDocument>(MAX_CACHED_CHARS);

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Removes the documents of another version of the database. Call it first in every read transaction. */
  refresh(version: string): void {
    this.#cache.refresh(version);
  }

  /** Returns those of the documents that exist. */
  read(ids: Iterable<number>): Map<number, StoredDocument> {
    return this.#cache.read([...new Set(ids)], (missing) => this.#load(missing));
  }

  #load(missing: readonly number[]): SizedValue<StoredDocument>[] {
    const rows = allArrays(
      this.#db,
      `SELECT d.id, d.title, d.doc_type, d.source_path, d.created_at, d.updated_at, d.language, d.stemmed_languages,
              (SELECT json_group_array(t.name ORDER BY t.name)
                 FROM document_tags x JOIN tags t ON t.id = x.tag_id WHERE x.document_id = d.id) AS tags
         FROM json_each(?) j CROSS JOIN documents d ON d.id = j.value`,
      JSON.stringify(missing),
    ) as unknown as DocumentRow[];
    return rows.map((row) => [row[0], toStoredDocument(row), sizeOf(row)] as const);
  }
}

function sizeOf([, title, , sourcePath, , , , , tags]: DocumentRow): number {
  return OBJECTS_SIZE + title.length + (sourcePath?.length ?? 0) + tags.length;
}

function toStoredDocument(
  [id, title, docType, sourcePath, createdAt, updatedAt, language, stemmedLanguages, tags]: DocumentRow,
): StoredDocument {
  return {
    id,
    title,
    doc_type: docType,
    language,
    stemmed_languages: stemmedLanguages?.split(" ") ?? [],
    source_path: sourcePath,
    tags: JSON.parse(tags) as string[],
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
