import type * as z from "zod";
import type {
  DocumentList,
  DocumentListRequest,
  SearchRequest,
  SimilarNote,
  SimilarRequest,
} from "../../../contract/mod.ts";
import type { SearchPage } from "../../../presentation/mod.ts";
import type { StoreStatus } from "../store/read_only.ts";
import type { EncodedSearch } from "./encoded_search.ts";

/** A search whose results are returned as a model reads them. */
export interface PageRequest {
  readonly request: SearchRequest;
  /** Date such as `2026-03-31`. */
  readonly today: string;
}

/** Reads that take long, by name: their validated input, and their result. */
export interface ReadOperations {
  /** Returns the JSON of a `SearchResponse`. */
  readonly search: { readonly input: SearchRequest; readonly output: EncodedSearch<Uint8Array<ArrayBuffer>> };
  readonly searchPage: { readonly input: PageRequest; readonly output: EncodedSearch<SearchPage> };
  readonly similarNotes: { readonly input: SimilarRequest; readonly output: SimilarNote[] };
  readonly queryDocuments: {
    readonly input: z.output<typeof DocumentListRequest>;
    readonly output: DocumentList;
  };
  readonly status: { readonly input: undefined; readonly output: StoreStatus };
}

/** Name of a read. */
export type ReadOperation = keyof ReadOperations;

/** Runs reads that take long, on any thread. Each sees all writes that were acknowledged before it. */
export interface Reads {
  /**
   * Runs a read.
   *
   * @param signal Ends the read.
   * @throws {KnowledgeBaseError} The error of the read; `busy` if too many reads wait; `timeout` if it takes too long.
   * @throws The reason of `signal`, or an error of the storage.
   */
  run<Op extends ReadOperation>(
    operation: Op,
    input: ReadOperations[Op]["input"],
    signal?: AbortSignal,
  ): Promise<ReadOperations[Op]["output"]>;

  /** Loads what the first read needs. */
  warmUp(): Promise<void>;
}
