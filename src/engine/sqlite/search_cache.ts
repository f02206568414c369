import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest, SearchResponse } from "../../contract/mod.ts";
import { deepFreeze, GenerationCache } from "../../data_structures/mod.ts";
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
  /** Maximum size of all responses, in bytes of about their JSON in UTF-16. @default {8 MiB} */
  readonly maxBytes?: number;
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
  readonly #maxBytes: number;
  readonly #responses: GenerationCache<string, SearchResponse>;
  #version: string | undefined;

  constructor(options: SearchCacheOptions) {
    this.#options = options;
    this.#missingModel = options.missingModel ?? (() => "");
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#responses = new GenerationCache(this.#maxBytes);
  }

  /**
   * Returns the response to a request: a known one, which is frozen, or that of `search`.
   *
   * @param request A validated request: its fields are in the order of the schema.
   */
  async search(request: SearchRequest, search: () => Promise<SearchResponse>): Promise<SearchResponse> {
    const version = this.#refresh();
    const key = JSON.stringify(request);
    const known = this.#responses.get(key);
    if (known) return known;
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
    const version = `${commit} ${now().slice(0, 10)} ${this.#missingModel()}`;
    if (version !== this.#version) {
      this.#responses.clear();
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
    const bytes = 2 * (key.length + jsonLength(response));
    if (bytes > this.#maxBytes * MAX_SHARE) return;
    this.#responses.set(key, deepFreeze(response), bytes);
  }
}

/** Returns about the length of a value as JSON, without the text that `JSON.stringify` would leave to be collected. */
function jsonLength(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  if (Array.isArray(value)) return value.reduce((length, each) => length + 1 + jsonLength(each), 2);
  let length = 2;
  for (const [name, field] of Object.entries(value)) length += name.length + 4 + jsonLength(field);
  return length;
}
