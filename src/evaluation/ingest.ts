import { mapConcurrent } from "../async/mod.ts";
import { type EngineClient, EngineError } from "../client/mod.ts";
import { MAX_TITLE_CHARS } from "../contract/mod.ts";
import { EvaluationError } from "./errors.ts";
import type { CollectionDocument } from "./test_collection.ts";

/** Number of documents to send before waiting for their jobs: fits into any queue and into memory. */
const BATCH_SIZE = 256;
/** Maximum number of concurrent requests. */
const MAX_CONCURRENT_REQUESTS = 16;
/** Timeout for ingesting a batch, in milliseconds. */
const BATCH_TIMEOUT_MS = 600_000;

/** Ids in the test collection by the engine's document id: documents with the same text are stored once. */
export type CollectionIds = ReadonlyMap<string, readonly string[]>;

/** Result of {@linkcode ingest}. */
export interface IngestedCollection {
  readonly ids: CollectionIds;
  /** Number of ingested documents, and of skipped ones, which have neither a title nor a text. */
  readonly sent: number;
  readonly empty: number;
  /** Languages by the collection's document id, as far as the collection has them. */
  readonly languages: ReadonlyMap<string, string>;
}

/**
 * Adds documents to an engine as notes, with their ids as `source_path`, and waits until all of them are
 * searchable. The text of a document without one is its title. Empty documents are skipped.
 *
 * @throws {EvaluationError} When a document is rejected or its job fails, or all documents are empty.
 */
export async function ingest(
  client: EngineClient,
  documents: AsyncIterable<CollectionDocument>,
): Promise<IngestedCollection> {
  const ids = new Map<string, string[]>();
  const languages = new Map<string, string>();
  let sent = 0;
  let empty = 0;
  let batch: CollectionDocument[] = [];
  const flush = async () => {
    const stored = await send(client, batch);
    for (const [index, { id }] of batch.entries()) {
      const key = String(stored[index]);
      const known = ids.get(key);
      if (known) known.push(id);
      else ids.set(key, [id]);
    }
    sent += batch.length;
    batch = [];
  };
  for await (const document of documents) {
    const { id, title, text, language } = document;
    if (title === "" && text === "") {
      empty++;
      continue;
    }
    if (language !== undefined) languages.set(id, language);
    batch.push(document);
    if (batch.length === BATCH_SIZE) await flush();
  }
  if (batch.length > 0) await flush();
  if (sent === 0) {
    throw new EvaluationError("The file of documents must contain at least one document with text");
  }
  return { ids, sent, empty, languages };
}

/**
 * Adds a batch of documents and waits for their jobs. Returns the engine's ids, in the order of the
 * documents.
 */
async function send(client: EngineClient, documents: readonly CollectionDocument[]): Promise<unknown[]> {
  const accepted = await mapConcurrent(
    documents,
    { limit: MAX_CONCURRENT_REQUESTS },
    ({ id, title, text }) =>
      withDocumentId(id, () =>
        client.addNote({
          text: text || title,
          title: titleOf(title),
          source_path: id,
          tags: [],
        })),
  );
  return await mapConcurrent(
    documents,
    { limit: MAX_CONCURRENT_REQUESTS },
    ({ id }, index) =>
      withDocumentId(id, async () => {
        const job = await client.waitForJob(accepted[index]?.job_id ?? 0, { timeoutMs: BATCH_TIMEOUT_MS });
        if (job.status === "done" && job.document_id != null) return job.document_id;
        throw new EvaluationError(
          `Document ${JSON.stringify(id)} was not ingested: ${job.error ?? `its job is ${job.status}`}`,
        );
      }),
  );
}

/** Makes a title valid for the contract. */
function titleOf(title: string): string | undefined {
  // deno-lint-ignore no-control-regex -- titles must not contain them
  const printable = title.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").toWellFormed().trim();
  return printable === "" ? undefined : printable.slice(0, MAX_TITLE_CHARS).toWellFormed().trim();
}

/** Adds the document id to the message of an engine error. */
async function withDocumentId<T>(id: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new EvaluationError(`Document ${JSON.stringify(id)}: ${error.message}`, { cause: error });
  }
}

/** Interval of status requests, and maximum time without a new vector, in milliseconds. */
const POLL_INTERVAL_MS = 250;
const STALL_TIMEOUT_MS = 120_000;

/** Options of {@linkcode waitForVectors}. */
export interface VectorsOptions {
  /** Resolves after a delay. */
  readonly delay: (ms: number) => Promise<void>;
  /** Called whenever the number of vectors has grown. */
  readonly onProgress: (embedded: number, total: number) => void;
}

/**
 * Waits until every chunk has a vector. Returns immediately when the engine has no embedding model.
 *
 * @throws {EvaluationError} When no vector is added for two minutes.
 */
export async function waitForVectors(
  client: EngineClient,
  { delay, onProgress }: VectorsOptions,
): Promise<void> {
  for (let embedded = -1, stalledMs = 0;; await delay(POLL_INTERVAL_MS)) {
    const { vectors } = await client.status();
    if (vectors == null) return;
    const done = vectors.embedded + (vectors.refused ?? 0);
    if (done >= vectors.total) return;
    if (done > embedded) {
      onProgress(done, vectors.total);
      [embedded, stalledMs] = [done, 0];
    } else if ((stalledMs += POLL_INTERVAL_MS) > STALL_TIMEOUT_MS) {
      throw new EvaluationError(
        `Embedding stopped at ${done} of ${vectors.total} vectors: ${
          vectors.error ?? "see the engine's log"
        }. Use --mode fts to evaluate without vectors`,
      );
    }
  }
}
