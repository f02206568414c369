import type { DatabaseSync } from "node:sqlite";
import type { Copies, NeighborChunk, RankedChunk, ScoredChunk } from "../../search/mod.ts";
import { visibleText } from "../../../text/mod.ts";
import { all, type ChunkRow, DOCUMENT_OF_CHUNK } from "../store/read_only.ts";
import { ChunkCache, type SizedValue } from "./chunk_cache.ts";

interface Row extends ChunkRow {
  document_id: number;
  title: string;
  doc_type: string;
  language: string | null;
  stemmed_languages: string | null;
  source_path: string | null;
  created_at: string;
  updated_at: string | null;
  tags: string;
}

/** A chunk of a page as it is in the database. */
type StoredChunk = Omit<RankedChunk, "score" | "neighbors" | "copies">;

/** Maximum number of copies that a result lists. */
const MAX_LISTED_COPIES = 5;
/** Size of the objects of a chunk, in UTF-16 code units. */
const OBJECTS_SIZE = 256;
/** Maximum size of all chunks in memory, in UTF-16 code units. */
const MAX_CACHED_CHARS = 2 ** 20;

/** Reads the chunks of a page with their documents. Those that searches return often stay in memory. */
export class RankedChunkReader {
  readonly #db: DatabaseSync;
  readonly #cache = new ChunkCache<StoredChunk>(MAX_CACHED_CHARS);

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Removes the chunks of another version of the database. Call it first in every read transaction. */
  refresh(version: string): void {
    this.#cache.refresh(version);
  }

  /**
   * Reads the chunks of a page, in the order of the hits. Leaves out chunks that were deleted after ranking.
   *
   * @param options.withNeighbors Whether to read the chunks before and after each one.
   * @param options.copiesOf Returns the chunks with the same text as one.
   */
  read(
    hits: readonly ScoredChunk[],
    { withNeighbors, copiesOf }: {
      readonly withNeighbors: boolean;
      readonly copiesOf: (chunk: number) => readonly number[];
    },
  ): RankedChunk[] {
    const ids = hits.map(({ id }) => id);
    const chunks = this.#cache.read(ids, (missing) => this.#load(missing));
    const neighbors = withNeighbors ? readNeighbors(this.#db, JSON.stringify(ids)) : undefined;
    const found: RankedChunk[] = [];
    for (const { id, score } of hits) {
      const chunk = chunks.get(id);
      if (!chunk) continue;
      found.push({
        ...chunk,
        score,
        tags: [...chunk.tags],
        neighbors: neighbors?.get(id) ?? [],
        copies: readCopies(this.#db, copiesOf(id)),
      });
    }
    return found;
  }

  #load(missing: readonly number[]): SizedValue<StoredChunk>[] {
    const rows = all<Row>(
      this.#db,
      `SELECT c.id AS chunk_id, d.id AS document_id, c.position AS "index", c.text, c.heading_path,
              c.page_start, c.page_end, c.line_start, c.line_end, c.char_start, c.char_end, c.repeated_chars,
              d.title, d.doc_type, d.source_path, d.created_at, d.updated_at, d.language, d.stemmed_languages,
              (SELECT json_group_array(name) FROM (
                 SELECT t.name FROM document_tags x JOIN tags t ON t.id = x.tag_id
                  WHERE x.document_id = d.id ORDER BY t.name)) AS tags
         FROM json_each(?) j
         CROSS JOIN chunks c ON c.id = j.value
         CROSS JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}`,
      JSON.stringify(missing),
    );
    return rows.map((row) => [row.chunk_id, toStoredChunk(row), sizeOf(row)] as const);
  }
}

function sizeOf({ text, title, heading_path, source_path, tags }: Row): number {
  return OBJECTS_SIZE + text.length + title.length + heading_path.length + (source_path?.length ?? 0) +
    tags.length;
}

function toStoredChunk(row: Row): StoredChunk {
  // Field by field: copying all with a spread makes objects that are slow to copy.
  return {
    chunk_id: row.chunk_id,
    document_id: row.document_id,
    index: row.index,
    text: row.text,
    heading_path: JSON.parse(row.heading_path) as string[],
    page_start: row.page_start,
    page_end: row.page_end,
    line_start: row.line_start,
    line_end: row.line_end,
    char_start: row.char_start,
    char_end: row.char_end,
    repeated_chars: row.repeated_chars,
    title: row.title,
    doc_type: row.doc_type,
    language: row.language,
    stemmed_languages: row.stemmed_languages?.split(" ") ?? [],
    source_path: row.source_path,
    tags: JSON.parse(row.tags) as string[],
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Reads the documents of the first copies. */
function readCopies(db: DatabaseSync, copies: readonly number[]): Copies | undefined {
  if (copies.length === 0) return undefined;
  const rows = all<{ chunk_id: number; document_id: number; title: string; source_path: string | null }>(
    db,
    `SELECT c.id AS chunk_id, d.id AS document_id, d.title, d.source_path
       FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}
      ORDER BY j.key`,
    JSON.stringify(copies.slice(0, MAX_LISTED_COPIES)),
  );
  return { total: copies.length, listed: rows.map((row) => ({ ...row, title: visibleText(row.title) })) };
}

/** Reads the chunks right before and after others, under the same heading. */
function readNeighbors(db: DatabaseSync, ids: string): Map<number, NeighborChunk[]> {
  const rows = all<NeighborChunk & { readonly of: number }>(
    db,
    `SELECT c.id AS of, n.position AS "index", n.text, n.char_start, n.repeated_chars
       FROM json_each(?) j
       CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN chunks n ON n.document_id = c.document_id AND n.position IN (c.position - 1, c.position + 1)
      WHERE n.heading_path = c.heading_path`,
    ids,
  );
  return Map.groupBy(rows, ({ of }) => of);
}
