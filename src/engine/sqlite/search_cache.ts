import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest, SearchResponse } from "../../contract/mod.ts";
import { EncodedJson, GenerationCache } from "../../data_structures/mod.ts";
import type { EncodedSearch } from "./search_threads/mod.ts";
import { dataVersion } from "./store/mod.ts";

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
  /** Maximum size of all responses, in bytes: twice their JSON in UTF-16. @default {8 MiB} */
  readonly maxBytes?: number;
}

/** The response to a search. */
export interface CachedSearch {
  readonly response: EncodedJson<SearchResponse>;
  /** Ids of the documents of the results, one per result. */
  readonly documents: readonly number[];
}

/**
 * Keeps the responses of searches until the next commit, by any process. Agents repeat searches, and several of them
 * work on the same subject.
 *
 * The JSON is kept. Only the value of a response that was requested again stays parsed: most never are, and the objects
 * of thousands of results would cost more time in garbage collections than the searches on this thread altogether.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { SearchCache } from "./search_cache.ts";
 * import { assert } from "@std/assert";
 * const cache = new SearchCache({ db: new DatabaseSync(":memory:"), now: () => "2026-03-31T09:00:00.000Z" });
 * const search = () => Promise.resolve({ json: '{"mode":"fts","results":[]}', documents: [], isComplete: true });
 * await cache.search({ query: "herons" }, search);
 * const { response } = await cache.search({ query: "herons" }, () => Promise.reject(new Error("Not repeated")));
 * assert(response.value.mode === "fts");
 * ```
 */
export class SearchCache {
  readonly #options: SearchCacheOptions;
  readonly #missingModel: () => string | undefined;
  readonly #maxBytes: number;
  readonly #responses: GenerationCache<string, CachedSearch>;
  #version: string | undefined;

  constructor(options: SearchCacheOptions) {
    this.#options = options;
    this.#missingModel = options.missingModel ?? (() => "");
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#responses = new GenerationCache(this.#maxBytes);
  }

  /**
   * Returns the response to a request: a known one, or that of `search`.
   *
   * @param request A validated request: its fields are in the order of the schema.
   */
  async search(request: SearchRequest, search: () => Promise<EncodedSearch>): Promise<CachedSearch> {
    const version = this.#refresh();
    const key = JSON.stringify(request);
    const known = this.#responses.get(key);
    if (known) return known;
    const { json, documents, isComplete } = await search();
    // A warning may be about a model that does not work now. Without a commit in between, the response is of this version.
    const isFinal = isComplete || this.#missingModel() !== undefined;
    if (isFinal && this.#refresh() === version) this.#add(key, json, documents);
    // Not the one that is kept, which would keep the value, and what callers remember of values that are shared.
    return { response: new EncodedJson(json), documents };
  }

  /** Removes all responses if there was a commit since the last call or the model has changed; returns the version. */
  #refresh(): string {
    const { db, now } = this.#options;
    // The results within a token budget depend on the day.
    const version = `${dataVersion(db)} ${now().slice(0, 10)} ${this.#missingModel()}`;
    if (version !== this.#version) {
      this.#responses.clear();
      this.#version = version;
    }
    return version;
  }

  #add(key: string, json: string, documents: readonly number[]): void {
    // The value takes about as much as the JSON.
    const bytes = 2 * (key.length + 2 * json.length);
    if (bytes > this.#maxBytes * MAX_SHARE) return;
    this.#responses.set(key, { response: new EncodedJson(json, { isShared: true }), documents }, bytes);
  }
}
