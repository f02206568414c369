import type {
  DeletedDocument,
  Document,
  DocumentPage,
  DocumentQuery,
  DocumentsQuery,
  DocumentTags,
  EngineStatus,
  Id,
  Job,
  JobAccepted,
  JobPage,
  JobsQuery,
  NotePatch,
  SearchRequest,
  SearchResponse,
  TagChange,
} from "../contract/mod.ts";
import type { FileSource } from "./multipart.ts";
import type { CallOptions, EngineClientOptions } from "./options.ts";
import { Transport } from "./transport.ts";
import { waitUntilEnded } from "./wait.ts";

/** What a note or a file is filed under. */
export interface Filing {
  /** Without one the engine makes its own. */
  readonly title?: string | undefined;
  /** A stable name: new content at the same one replaces the old. */
  readonly source_path?: string | undefined;
  /** All tags, the collection's among them. */
  readonly tags: readonly string[];
}

/** A note to add. */
export interface NewNote extends Filing {
  /** Its text, which becomes the document's. */
  readonly text: string;
}

/** A file to add: streamed, never held. */
export interface NewFile extends Filing, FileSource {}

/** How to wait for a job. */
export interface WaitOptions {
  /** Longest wait in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the waiting at once, and the question that is on its way; the job goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the waiting early, with the job as it was last seen. */
  readonly until?: AbortSignal | undefined;
  /** Told of the job each time that it was seen, the last time included. */
  readonly onSeen?: ((job: Job) => void) | undefined;
}

/**
 * A client of an engine, wherever it is: behind a socket, or a handler in this process.
 *
 * Every method rejects with an `EngineError` and nothing else; its `code` says what to do. Reads are tried up to
 * three times; writes once. A client holds no connection and needs no closing; calls may run together.
 *
 * @example
 * ```ts
 * import { EngineClient } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const client = new EngineClient({
 *   baseUrl: "http://embedded",
 *   fetch: () => Promise.resolve(Response.json({ job_id: 7, status: "done", document_id: 3 })),
 * });
 * assertEquals((await client.job(7)).document_id, 3);
 * ```
 */
export class EngineClient {
  readonly #transport: Transport;

  /**
   * Connects to nothing yet.
   *
   * @throws {TypeError} If `baseUrl` or `apiKey` cannot be used.
   */
  constructor(options: EngineClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Where the engine is, without a trailing slash. */
  get baseUrl(): string {
    return this.#transport.baseUrl;
  }

  /** Version, model, counts and queue of the engine. */
  status(options?: CallOptions): Promise<EngineStatus> {
    return this.#transport.call("status", {}, options);
  }

  /** Chunks that match, best first. */
  search(request: SearchRequest, options?: CallOptions): Promise<SearchResponse> {
    return this.#transport.call("search", { json: request }, options);
  }

  /** Submits a note; once accepted it is durable. Its characters arrive unchanged. */
  addNote({ text, ...filing }: NewNote, options?: CallOptions): Promise<JobAccepted> {
    const fields = formOf(filing);
    fields.append("text", text);
    return this.#transport.call("createJob", { fields }, options);
  }

  /** Submits a file as it is read. Fails as `invalid` when the stream is not exactly `size` bytes long. */
  addFile(file: NewFile, options?: CallOptions): Promise<JobAccepted> {
    return this.#transport.call("createJob", { fields: formOf(file), file }, options);
  }

  /** A page of jobs, newest first. */
  jobs(query: JobsQuery = {}, options?: CallOptions): Promise<JobPage> {
    return this.#transport.call("listJobs", { query }, options);
  }

  /** One job. */
  job(id: Id, options?: CallOptions): Promise<Job> {
    return this.#transport.call("getJob", { id }, options);
  }

  /** A page of documents, the last modified or created first. */
  documents(query: DocumentsQuery = {}, options?: CallOptions): Promise<DocumentPage> {
    return this.#transport.call("listDocuments", { query }, options);
  }

  /** One document, with its chunks unless `query` says otherwise. */
  document(id: Id, query: DocumentQuery = {}, options?: CallOptions): Promise<Document> {
    return this.#transport.call("getDocument", { id, query }, options);
  }

  /** Deletes a document. */
  deleteDocument(id: Id, options?: CallOptions): Promise<DeletedDocument> {
    return this.#transport.call("deleteDocument", { id }, options);
  }

  /** Removes tags, then adds tags, in one transaction. */
  changeTags(id: Id, change: Readonly<Partial<TagChange>>, options?: CallOptions): Promise<DocumentTags> {
    const { remove = [], add = [] } = change;
    return this.#transport.call("changeTags", { id, json: { remove, add } }, options);
  }

  /** Replaces a note's text, and its title if one is given. */
  updateNote(id: Id, patch: NotePatch, options?: CallOptions): Promise<Document> {
    return this.#transport.call("updateNote", { id, json: patch }, options);
  }

  /**
   * Waits until a job is `done` or `failed`, but no longer than `timeoutMs` milliseconds.
   *
   * @returns The job as it was last seen, whatever its status: still running is no error.
   * @throws {EngineError} `not_found`, `unauthorized` or `cancelled` at once; anything else only if the job was never seen.
   */
  waitForJob(id: Id, options: WaitOptions): Promise<Job> {
    const signal = options.signal ?? new AbortController().signal;
    return waitUntilEnded({
      timeoutMs: options.timeoutMs,
      signal,
      until: options.until,
      now: () => this.#transport.now(),
      pause: (ms, until) => this.#transport.pause(ms, until),
      ask: (timeoutMs) => this.job(id, { signal, timeoutMs }),
      onSeen: options.onSeen,
    });
  }
}

function formOf({ title, source_path, tags }: Filing): FormData {
  const form = new FormData();
  if (title !== undefined) form.append("title", title);
  if (source_path !== undefined) form.append("source_path", source_path);
  for (const tag of tags) form.append("tags", tag);
  return form;
}
