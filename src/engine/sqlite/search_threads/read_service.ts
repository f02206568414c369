import type { DatabaseSync } from "node:sqlite";
import type { VectorSearch } from "../../search/mod.ts";
import { Searcher } from "../search/mod.ts";
import { lazy } from "../../../text/mod.ts";
import { queryDocuments, readStatus, snapshot, timestamp } from "../store/read_only.ts";
import { encodePage, encodeSearch } from "./encoded_search.ts";
import type { ReadOperation, ReadOperations } from "./reads.ts";
import { rehearse } from "./rehearsal.ts";

/** Options of {@linkcode ReadService.run}. */
export interface ReadOptions {
  /** Search by vectors. Unset: full text only. */
  readonly vectors?: VectorSearch | undefined;
  /** Aborts waiting for the embedding model. */
  readonly signal?: AbortSignal | undefined;
  /** Throws if the read should end. Called often. */
  readonly checkpoint: () => void;
}

type ReadFunctions = {
  readonly [Op in ReadOperation]: (
    input: ReadOperations[Op]["input"],
    options: ReadOptions,
  ) => ReadOperations[Op]["output"] | Promise<ReadOperations[Op]["output"]>;
};

/** Runs reads on one connection. */
export class ReadService {
  readonly #db: DatabaseSync;
  /** Created by the first search: a thread may run lists only. */
  readonly #searcher: () => Searcher;
  readonly #functions: ReadFunctions;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const searcher = this.#searcher = lazy(() => new Searcher({ db }));
    this.#functions = {
      search: async (input, options) => encodeSearch(await searcher().search(input, options)),
      searchPage: async ({ request, today }, options) =>
        encodePage(await searcher().search(request, options), today),
      similarNotes: (input, options) => searcher().similarNotes(input, options),
      queryDocuments: (input) => snapshot(db, () => queryDocuments(db, input)),
      status: () => snapshot(db, () => readStatus(db)),
    };
  }

  /** Loads the metadata of all chunks before the first search. */
  warmUp(): void {
    this.#searcher().warmUp();
  }

  /** Loads what most searches need besides, one step at a time, as long as the thread is idle. Never rejects. */
  prepare(isIdle: () => boolean): Promise<void> {
    return this.#searcher().prepare(isIdle);
  }

  /** Prepares the code of searches, too, as long as the thread is idle. Never rejects. */
  rehearse(isIdle: () => boolean): Promise<void> {
    const search = async (query: string) => {
      const response = await this.#searcher().search({ query: query || "text", mode: "fts" });
      encodeSearch(response);
      encodePage(response, timestamp().slice(0, 10));
    };
    return rehearse(this.#db, { search, isIdle });
  }

  /** Runs a read. */
  async run<Op extends ReadOperation>(
    operation: Op,
    input: ReadOperations[Op]["input"],
    options: ReadOptions,
  ): Promise<ReadOperations[Op]["output"]> {
    options.checkpoint();
    return await this.#functions[operation](input, options);
  }
}
