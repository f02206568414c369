import type { DatabaseSync } from "node:sqlite";
import type { z } from "zod";
import { CONTRACT_VERSION, type RouteName, routes } from "../../contract/mod.ts";
import type { Scheduler } from "../ingestion/scheduler.ts";
import type { Searcher } from "../sqlite/search/mod.ts";
import {
  getDocument,
  getJob,
  listDocuments,
  listJobs,
  readStatus,
  type VectorCounts,
} from "../sqlite/store/mod.ts";
import type { Writer } from "../sqlite/writer/mod.ts";
import { StoreError } from "../knowledge_base/operations.ts";
import { HttpError } from "./errors.ts";
import { type FormOptions, readJobForm } from "./job_form.ts";

/** What the handlers work with. */
export interface Services {
  /** Reads on this thread, on a connection that cannot write. */
  readonly db: DatabaseSync;
  /** Every write. */
  readonly writer: Pick<Writer, "call">;
  readonly scheduler: Pick<Scheduler, "wakeNotes" | "wakeFiles">;
  readonly searcher: Pick<Searcher, "search">;
  /** What the embedding model does; undefined: there is none. */
  readonly embeddings: (() => EmbeddingStatus) | undefined;
  readonly form: FormOptions;
  /** Jobs that may wait. */
  readonly maxQueuedJobs: number;
}

/** What `GET /api/v1/status` says of vectors. */
export interface EmbeddingStatus {
  /** Of the model. */
  readonly name: string;
  readonly vectors: VectorCounts & {
    /** Memory that vectors take; what is beyond its bound is read from disk by each search. */
    readonly memory_bytes: number;
    /** Why the model cannot be used at the moment; null: nothing is known against it. */
    readonly error: string | null;
  };
}

type Parsed<Name extends RouteName, Kind extends "query" | "json"> = (typeof routes)[Name] extends
  Record<Kind, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** A request that has been parsed as its route says. */
export interface Call<Name extends RouteName> {
  readonly request: Request;
  /** The `{id}` of the path; 0 when it has none. */
  readonly id: number;
  readonly query: Parsed<Name, "query">;
  readonly json: Parsed<Name, "json">;
}

/** One function for each route of the contract, from its call to its answer. */
export type Handlers = {
  readonly [Name in RouteName]: (call: Call<Name>) =>
    | z.input<(typeof routes)[Name]["answer"]>
    | Promise<
      z.input<(typeof routes)[Name]["answer"]>
    >;
};

/** The engine's side of the contract. */
export function createHandlers(
  { db, writer, scheduler, searcher, embeddings, form, maxQueuedJobs }: Services,
): Handlers {
  return {
    status: () => {
      const { queue, ...store } = readStatus(db);
      const model = embeddings?.();
      return {
        version: CONTRACT_VERSION,
        model: model?.name ?? null,
        device: "cpu",
        ...store,
        vectors: model ? { ...model.vectors } : null,
        queue: { ...queue, limit: maxQueuedJobs },
      };
    },
    search: ({ request, json }) => searcher.search(json, request.signal),
    createJob: async ({ request }) => {
      const job = await readJobForm(request, form);
      try {
        const { job_id, status } = await writer.call("createJob", job);
        return { job_id, status };
      } catch (error) {
        // Only a refusal says for certain that no job refers to the file. After any other failure it stays until the
        // next start, which knows.
        const refused = error instanceof StoreError && error.code !== "internal";
        if (refused && job.spoolFile !== undefined) await form.spool.remove(job.spoolFile);
        throw error;
      } finally {
        if (job.spoolFile === undefined) scheduler.wakeNotes();
        else scheduler.wakeFiles();
      }
    },
    listJobs: ({ query }) => listJobs(db, query),
    getJob: ({ id }) => getJob(db, id) ?? notFound("getJob", id),
    listDocuments: ({ query }) => listDocuments(db, query),
    getDocument: ({ id, query }) => getDocument(db, id, query) ?? notFound("getDocument", id),
    deleteDocument: ({ id }) => writer.call("deleteDocument", id),
    changeTags: ({ id, json }) => writer.call("changeTags", id, json),
    updateNote: ({ id, json }) => writer.call("updateNote", id, json),
  };
}

/** Refuses an id that nothing has, whether or not it could be one. */
export function notFound(name: RouteName, id: string | number): never {
  const thing = routes[name].path.includes("/jobs/") ? "job" : "document";
  throw new HttpError("not_found", `There is no ${thing} ${String(id).slice(0, 60)}`);
}
