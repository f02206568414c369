import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest, SearchResponse } from "../../contract/mod.ts";
import { deepFreeze } from "../../data_structures/mod.ts";
import { count } from "./store/mod.ts";

/** Default of {@linkcode SearchCacheOptions.maxBytes}. */
const DEFAULT_MAX_BYTES = 8 * 2 ** 20;
/** Share of the cache that one response may take. */
const MAX_SHARE = 1 / 16;

/** Options of {@linkcode SearchCache}. */
export interface SearchCacheOptions {
  /** A connection to the store, which is only read. */
  readonly db: DatabaseSync;
  /** Clock, in the format of `timestamp`. */
  readonly now: () => string;
  /**
   * Returns why no embedding model is in use, which responses may state. Undefined while one is, which can fail at any
   * time. @default {() => ""}
   */
  readonly missingModel?: () => string | undefined;
  /** Maximum size of all responses, in bytes of their JSON in UTF-16. @default {8 MiB} */
  readonly maxBytes?: number;
}

/** A response in the cache. */
interface Entry {
  readonly response: SearchResponse;
  readonly bytes: number;
}

/**
 * Keeps the responses of searches until the next commit, by any process. Agents repeat searches, and several of them
 * work on the same subject.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { SearchCache } from "./search_cache.ts";
 * import { assert } from "@std/assert";
 * const cache = new SearchCache({ db: new DatabaseSync(":memory:"), now: () => "2026-03-31T09:00:00.000Z" });
 * const search = () => Promise.resolve({ mode: "fts" as const, results: [], total: 0, filters_applied: {} });
 * const response = await cache.search({ query: "herons" }, search);
 * assert(await cache.search({ query: "herons" }, search) === response);
 * ```
 */
export class SearchCache {
  readonly #options: SearchCacheOptions;
  readonly #missingModel: () => string | undefined;
  /** Responses by request, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #version: string | undefined;
  #bytes = 0;

  constructor(options: SearchCacheOptions) {
    this.#options = options;
    this.#missingModel = options.missingModel ?? (() => "");
  }

  /**
   * Returns the response to a request: a known one, which is frozen, or that of `search`.
   *
   * @param request A validated request: its fields are in the order of the schema.
   */
  async search(request: SearchRequest, search: () => Promise<SearchResponse>): Promise<SearchResponse> {
    const version = this.#refresh();
    const key = JSON.stringify(request);
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.response;
    }
    const response = await search();
    // Without a commit in between, the response is of this version.
    if (this.#isFinal(response) && this.#refresh() === version) this.#add(key, response);
    return response;
  }

  /** Removes all responses if there was a commit since the last call or the model has changed; returns the version. */
  #refresh(): string {
    const { db, now } = this.#options;
    const commit = count(db, "SELECT data_version AS n FROM pragma_data_version");
    // The results within a token budget depend on the day.
    const version = JSON.stringify([commit, now().slice(0, 10), this.#missingModel()]);
    if (version !== this.#version) {
      this.#entries.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    return version;
  }

  /** Whether a response stays the same until the next commit: a warning may be about a model that does not work now. */
  #isFinal({ warning, vectors }: SearchResponse): boolean {
    if (this.#missingModel() !== undefined) return true;
    return warning === undefined && (!vectors || vectors.embedded === vectors.total);
  }

  #add(key: string, response: SearchResponse): void {
    const { maxBytes = DEFAULT_MAX_BYTES } = this.#options;
    const bytes = 2 * (key.length + JSON.stringify(response).length);
    if (bytes > maxBytes * MAX_SHARE || this.#entries.has(key)) return;
    this.#entries.set(key, { response: deepFreeze(response), bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}
