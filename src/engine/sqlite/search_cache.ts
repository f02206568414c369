import type { DatabaseSync } from "node:sqlite";
import { GenerationCache } from "../../data_structures/mod.ts";
import type { EncodedSearch } from "./search_threads/mod.ts";
import { dataVersion, sharedSnapshot } from "./store/mod.ts";

/** Default of {@linkcode SearchCacheOptions.maxBytes}. */
const DEFAULT_MAX_BYTES = 8 * 2 ** 20;
/** Share of the cache that one response may take. */
const MAX_SHARE = 1 / 16;
/** Memory of the objects of a request and its response, in bytes: most of that of a response without results. */
const OBJECTS_BYTES = 1024;

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
  /** Maximum size of all responses and requests, in bytes. @default {8 MiB} */
  readonly maxBytes?: number;
}

/**
 * Keeps the responses of searches until the next commit, by any process. Agents repeat searches, and several of them
 * work on the same subject. Responses are kept as bytes, which garbage collections do not copy.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { SearchCache } from "./search_cache.ts";
 * import { assert } from "@std/assert";
 * const cache = new SearchCache({ db: new DatabaseSync(":memory:"), now: () => "2026-03-31T09:00:00.000Z" });
 * const search = () => Promise.resolve({ response: '{"results":[]}', size: 14, documents: [], isComplete: true });
 * await cache.search({ query: "herons" }, search);
 * const { response } = await cache.search({ query: "herons" }, () => Promise.reject(new Error("Not repeated")));
 * assert(response === '{"results":[]}');
 * ```
 */
export class SearchCache {
  readonly #options: SearchCacheOptions;
  readonly #missingModel: () => string | undefined;
  readonly #maxBytes: number;
  readonly #responses: GenerationCache<string, EncodedSearch<unknown>>;
  #version: string | undefined;
  /** Number of times that the responses were removed. */
  #generation = 0;

  constructor(options: SearchCacheOptions) {
    this.#options = options;
    this.#missingModel = options.missingModel ?? (() => "");
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#responses = new GenerationCache(this.#maxBytes);
  }

  /**
   * Returns the response to a request: a known one, or that of `search`.
   *
   * @param request A validated request: its fields are in the order of the schema. Requests with responses of different
   * types must differ.
   */
  async search<T>(request: unknown, search: () => Promise<EncodedSearch<T>>): Promise<EncodedSearch<T>> {
    this.#refresh();
    const generation = this.#generation;
    const key = JSON.stringify(request);
    const known = this.#responses.get(key);
    if (known) return known as EncodedSearch<T>;
    const found = await search();
    // A warning may be about a model that does not work now.
    const isFinal = found.isComplete || this.#missingModel() !== undefined;
    // A commit in between that no call has seen makes the next one remove this response, of whichever version it is.
    if (isFinal && this.#generation === generation) this.#add(key, found);
    return found;
  }

  /** Removes all responses if there was a commit since the last call or the model has changed. */
  #refresh(): void {
    const { db, now } = this.#options;
    // The results within a token budget depend on the day.
    const commit = sharedSnapshot(db, () => dataVersion(db));
    const version = `${commit} ${now().slice(0, 10)} ${this.#missingModel()}`;
    if (version === this.#version) return;
    this.#responses.clear();
    this.#version = version;
    this.#generation++;
  }

  #add(key: string, found: EncodedSearch<unknown>): void {
    const bytes = OBJECTS_BYTES + 2 * key.length + found.size;
    if (bytes > this.#maxBytes * MAX_SHARE) return;
    this.#responses.set(key, found, bytes);
  }
}
