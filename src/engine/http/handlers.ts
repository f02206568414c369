import type * as z from "zod";
import { CONTRACT_VERSION, type RouteName, routes } from "../../contract/mod.ts";
import type { Scheduler } from "../ingestion/mod.ts";
import { type KnowledgeBase, KnowledgeBaseError } from "../knowledge_base/mod.ts";
import { HttpError } from "./errors.ts";
import { type FormOptions, readJobForm } from "./job_form.ts";

/** Dependencies of the route handlers. */
export interface Services {
  readonly knowledgeBase: Omit<KnowledgeBase, "queue" | "warmUp" | typeof Symbol.asyncDispose>;
  readonly scheduler: Pick<Scheduler, "wakeNotes" | "wakeFiles">;
  readonly form: FormOptions;
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

/** Implements the routes of the contract. */
export function createHandlers({ knowledgeBase, scheduler, form }: Services): Handlers {
  return {
    status: async () => ({ version: CONTRACT_VERSION, ...await knowledgeBase.status() }),
    search: ({ request, json }) => knowledgeBase.search(json, request.signal),
    createJob: async ({ request }) => {
      const job = await readJobForm(request, form);
      try {
        const { job_id, status } = await knowledgeBase.createJob(job);
        return { job_id, status };
      } catch (error) {
        // Only a refusal guarantees that no job refers to the file. After any other failure the file stays until the next
        // start, which removes files without a job.
        const refused = error instanceof KnowledgeBaseError && error.code !== "internal";
        if (refused && job.spoolFile !== undefined) await form.spool.remove(job.spoolFile);
        throw error;
      } finally {
        if (job.spoolFile === undefined) scheduler.wakeNotes();
        else scheduler.wakeFiles();
      }
    },
    listJobs: ({ query }) => knowledgeBase.listJobs(query),
    getJob: async ({ id }) => await knowledgeBase.getJob(id) ?? notFound("getJob", id),
    listDocuments: ({ query }) => knowledgeBase.listDocuments(query),
    getDocument: async ({ id, query }) =>
      await knowledgeBase.getDocument(id, query) ?? notFound("getDocument", id),
    deleteDocument: ({ id }) => knowledgeBase.deleteDocument(id),
    changeTags: ({ id, json }) => knowledgeBase.changeTags(id, json),
    updateNote: ({ id, json }) => knowledgeBase.updateNote(id, json),
  };
}

/** Refuses an id that nothing has, whether or not it could be one. */
export function notFound(name: RouteName, id: string | number): never {
  const thing = routes[name].path.includes("/jobs/") ? "job" : "document";
  throw new HttpError("not_found", `There is no ${thing} ${String(id).slice(0, 60)}`);
}
