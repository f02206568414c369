import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest, SearchResponse } from "../../contract/mod.ts";
import { run } from "../store/sql.ts";
import { SearchError } from "./errors.ts";
import { Filter } from "./filters.ts";
import { type Postings, PostingsReader } from "./postings.ts";
import { parseQuery } from "./query.ts";
import { best, rank, type Scored } from "./rank.ts";
import { readResults } from "./results.ts";
import { snippetsFor } from "./snippet.ts";

/** What has been read from each connection; it goes when the connection goes. */
const readers = new WeakMap<DatabaseSync, PostingsReader>();

/**
 * Ranks the chunks of a store for a query, by full text (BM25: title before headings before text).
 *
 * Synchronous, and reads only: the connection may be read-only, and other connections may write meanwhile. A query without
 * a word in it has no results. At most `MAX_UNITS` different words are looked for.
 *
 * @param db A connection to a database with the schema of `src/engine/store`.
 * @param request A parsed request; nothing in its query is syntax.
 * @returns Results, best first; scores are larger for better ones, and of equal ones the older chunk comes first.
 * @throws {SearchError} `invalid` for `vec_only`, and for a time that is none.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { search } from "./search.ts";
 * import { MIGRATIONS } from "../store/migrations.ts";
 * import { assertEquals } from "@std/assert";
 * const db = new DatabaseSync(":memory:");
 * for (const { sql } of MIGRATIONS) db.exec(sql);
 * assertEquals(search(db, { query: "anything at all", top: 10 }), { mode: "fts", results: [] });
 * db.close();
 * ```
 */
export function search(db: DatabaseSync, request: SearchRequest & { top: number }): SearchResponse {
  if (request.vec_only) {
    throw new SearchError(
      "vec_only needs embeddings, and this engine has none: leave it out to search full text",
    );
  }
  const units = parseQuery(request.query);
  if (units.length === 0) return { mode: "fts", results: [] };
  let reader = readers.get(db);
  if (!reader) readers.set(db, reader = new PostingsReader(db));
  return snapshot(db, () => {
    const filter = Filter.of(db, request);
    if (filter === "nothing") return { mode: "fts", results: [] };
    reader.refresh();
    const ranked = select(rank(units, reader), request.top, filter);
    return {
      mode: "fts",
      results: readResults(db, ranked, snippetsFor(units, (stem) => reader.weight(stem))),
    };
  });
}

/** The best that pass the filter. */
function select(ranked: Postings, top: number, filter: Filter | undefined): Scored[] {
  if (!filter) return best(ranked, top);
  const few = filter.few();
  if (few) return best(ranked, top, few);
  // Most chunks pass, or many do: ask for the best ones only, and for more of them if too few did.
  for (let count = top * 4;; count *= 8) {
    const candidates = best(ranked, count);
    const passing = filter.passing(candidates.map(({ id }) => id));
    const kept = candidates.filter(({ id }) => passing.has(id)).slice(0, top);
    if (kept.length === top || candidates.length < count) return kept;
  }
}

/** Runs `read` on one state of the database, whatever is written meanwhile. */
function snapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  run(db, "BEGIN");
  try {
    return read();
  } finally {
    run(db, "COMMIT");
  }
}
