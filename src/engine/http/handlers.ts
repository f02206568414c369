import type * as z from "zod";
import { CONTRACT_VERSION, type EngineStatus, type RouteName, routes } from "../../contract/mod.ts";
import type { Sources } from "../sources/mod.ts";
import type { PromptFiles, Scheduler } from "../ingestion/mod.ts";
import { type ChangeOptions, type KnowledgeBase, KnowledgeBaseError } from "../knowledge_base/mod.ts";
import type { EncodedJson } from "../../data_structures/mod.ts";
import type { SearchPage } from "../../presentation/mod.ts";
import { currentRequest, currentTraceparent, withoutStack } from "../../telemetry/mod.ts";
import type { BodyMemory } from "../../web/mod.ts";
import { HttpError } from "./errors.ts";
import type { FormOptions, ReceivedJob } from "./job_form.ts";

/** Dependencies of the route handlers. */
export interface Services {
  /** Stores and searches documents. */
  readonly knowledgeBase: KnowledgeBase;
  /** Keeps folders and websites in sync. */
  readonly sources: Pick<Sources, "list" | "get" | "add" | "remove" | "sync" | "writeFile">;
  /** Notified of new jobs; cancels and retries them. */
  readonly scheduler: Pick<Scheduler, "wakeNotes" | "wakeFiles" | "cancel" | "retry">;
  /** Stores small text files at once. */
  readonly promptFiles: Pick<PromptFiles, "add">;
  /** Options for reading upload forms. */
  readonly form: FormOptions;
  /** Limits and languages of extraction, for the status. */
  readonly extraction: NonNullable<EngineStatus["extraction"]>;
}

type Parsed<Name extends RouteName, Part extends "query" | "json"> = (typeof routes)[Name] extends
  Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** A request with its parts parsed by the schemas of its route. */
export interface RouteContext<Name extends RouteName> {
  /** Aborts when nobody waits for the response any more. */
  readonly signal: AbortSignal;
  /** Whether the caller is this process, or a process of this machine that can read the data directory. */
  readonly isLocal: boolean;
  /** Returns the note or file of the form; for `createJob` only. */
  readonly readJob: () => ReceivedJob | Promise<ReceivedJob>;
  /** Memory that the request is charged for. Undefined: not limited. */
  readonly memory?: BodyMemory | undefined;
  /** The `{id}` of the path; 0 for a path without one. */
  readonly id: number;
  readonly query: Parsed<Name, "query">;
  readonly json: Parsed<Name, "json">;
  /** Who makes a change, and under which condition. */
  readonly change: ChangeOptions;
  /** For `search`: the day for which the results are presented to a model. Undefined: they are not. */
  readonly today?: string | undefined;
}

type ResponseValue<Name extends RouteName> = z.input<(typeof routes)[Name]["response"]>;
type ResponseBody<Name extends RouteName> =
  | ResponseValue<Name>
  | EncodedJson<ResponseValue<Name>>
  | (Name extends "search" ? SearchPage : never);

/** One function per route of the contract. Returns the body of the response. */
export type Handlers = {
  readonly [Name in RouteName]: (
    context: RouteContext<Name>,
  ) => ResponseBody<Name> | Promise<ResponseBody<Name>>;
};

/** Implements the routes of the contract. */
export function createHandlers(
  { knowledgeBase, sources, scheduler, promptFiles, extraction, form }: Services,
): Handlers {
  return {
    status: async () => ({ version: CONTRACT_VERSION, ...await knowledgeBase.status(), extraction }),
    search: ({ json, signal, today }) =>
      today === undefined
        ? knowledgeBase.search(json, signal)
        : knowledgeBase.searchPage(json, today, signal),
    createJob: async ({ readJob, memory, change: { actor } }) => {
      const { fileBytes, ...received } = await readJob();
      const newJob = {
        ...received,
        ...(actor !== undefined && { actor }),
        requestId: currentRequest()?.id,
        traceparent: currentTraceparent(),
      };
      const stored = fileBytes && await promptFiles.add(newJob, fileBytes, memory?.tryGrow.bind(memory));
      if (stored) return stored;
      const job = fileBytes
        ? { ...newJob, spoolFile: (await form.spool.write(ReadableStream.from([fileBytes]))).name }
        : newJob;
      let isStored = false;
      try {
        const accepted = await knowledgeBase.createJob(job);
        isStored = accepted.status === "done";
        return isStored ? accepted : { job_id: accepted.job_id, status: accepted.status };
      } catch (error) {
        // Only a rejected job certainly does not refer to the file. After any other error the file stays
        // until the next start, which removes files without a job.
        const isRejected = error instanceof KnowledgeBaseError &&
          error.code !== "internal" && error.code !== "outcome_unknown";
        if (isRejected && job.spoolFile !== undefined) await form.spool.remove(job.spoolFile);
        throw error;
      } finally {
        if (job.spoolFile !== undefined) scheduler.wakeFiles();
        else if (!isStored) scheduler.wakeNotes();
      }
    },
    listJobs: ({ query }) => knowledgeBase.listJobs(query),
    getJob: async ({ id, query: { wait_ms: waitMs }, signal }) => {
      const wait = waitMs > 0 && { waitMs, signal: AbortSignal.any([signal, form.signal]) };
      return await knowledgeBase.getJob(id, wait || undefined) ?? notFound("getJob", id);
    },
    cancelJob: ({ id }) => scheduler.cancel(id),
    retryJob: ({ id }) => scheduler.retry(id),
    listDocuments: ({ query }) => knowledgeBase.listDocuments(query),
    similarNotes: async ({ json, signal }) => ({
      similar: await knowledgeBase.similarNotes(json, signal),
    }),
    importDocuments: async ({ json, change: { actor } }) => ({
      results: await knowledgeBase.importDocuments(json, { ...(actor !== undefined && { actor }) }),
    }),
    queryDocuments: ({ json, signal }) => knowledgeBase.queryDocuments(json, signal),
    getDocument: async ({ id, query }) =>
      await knowledgeBase.getDocument(id, query) ?? notFound("getDocument", id),
    editDocument: ({ id, json, change }) => knowledgeBase.editDocument(id, json, change),
    deleteDocument: ({ id, query, change }) => knowledgeBase.deleteDocument(id, { ...query, ...change }),
    listRevisions: ({ id, query }) => knowledgeBase.listRevisions(id, query),
    listTrash: ({ query }) => knowledgeBase.listTrash(query),
    restoreDocument: ({ id, json, change }) => knowledgeBase.restoreDocument(id, json, change),
    changeTags: ({ id, json, change }) => knowledgeBase.changeTags(id, json, change),
    listSources: async () => ({ sources: await sources.list() }),
    addSource: ({ json, isLocal }) => {
      if (json.path !== undefined && !isLocal) throw foreignFolder();
      return sources.add(json);
    },
    getSource: ({ id }) => sources.get(id),
    removeSource: ({ id, query }) => sources.remove(id, { keepDocuments: query.keep_documents === true }),
    syncSource: ({ id, json }) => sources.sync(id, json),
    writeSourceFile: ({ id, json }) => sources.writeFile(id, json),
    updateNote: ({ id, json, change }) => knowledgeBase.updateNote(id, json, change),
  };
}

/** A caller over the network could otherwise read every file of the machine. */
function foreignFolder(): HttpError {
  return new HttpError(
    "forbidden",
    "A folder can be added on the engine's machine only: run kb-mcp source add there, or set KB_SOURCES",
  );
}

/**
 * Parses an id. This engine's ids are integers from 1, so any other id is unknown.
 *
 * @param shown The id in the message.
 * @throws {HttpError} `not_found`.
 */
export function parseId(name: RouteName, text: string, shown: string = text): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? id : notFound(name, shown);
}

/** Throws `not_found`. */
export function notFound(name: RouteName, id: string | number): never {
  const { path } = routes[name];
  const resource = path.includes("/jobs/") ? "job" : path.includes("/sources/") ? "source" : "document";
  throw withoutStack(HttpError, {
    name: "HttpError",
    code: "not_found",
    message: `There is no ${resource} ${String(id).slice(0, 60)}`,
    details: undefined,
    headers: {},
  });
}
