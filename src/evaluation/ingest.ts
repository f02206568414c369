import { type EngineClient, EngineError } from "../client/mod.ts";
import { MAX_TITLE_CHARS } from "../contract/mod.ts";
import { EvalError } from "./errors.ts";
import type { EvalDocument } from "./folder.ts";

/** Documents that are sent before it is waited for all of them: few enough for any queue and for memory. */
const BATCH = 256;
/** Calls that are under way at once. */
const CONCURRENCY = 16;
/** How long one batch may take to be ingested, in milliseconds. */
const BATCH_MS = 600_000;

/** The ids of the set that each document of the engine stands for, by the engine's id: the same text twice is stored once. */
export type SetIds = ReadonlyMap<string, readonly string[]>;

/**
 * Sends documents to an engine as notes, each with its title, and its id as `source_path`, and waits until all of them can be
 * found. A document without a text has its title for one.
 *
 * @throws {EvalError} When a document is refused or not ingested.
 */
export async function ingest(
  client: EngineClient,
  documents: AsyncIterable<EvalDocument>,
): Promise<{ ids: SetIds; sent: number }> {
  const ids = new Map<string, string[]>();
  let sent = 0;
  let batch: EvalDocument[] = [];
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
    batch.push(document);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  if (sent === 0) throw new EvalError("The file of documents must not be empty");
  return { ids, sent };
}

/** @returns The engine's ids, in the order of the documents. */
async function send(client: EngineClient, documents: readonly EvalDocument[]): Promise<unknown[]> {
  const accepted = await inParallel(documents, ({ id, title, text }) =>
    about(id, () =>
      client.addNote({
        text: text || title,
        title: titleOf(title),
        source_path: id,
        tags: [],
      })));
  return await inParallel(documents, ({ id }, index) =>
    about(id, async () => {
      const job = await client.waitForJob(accepted[index]?.job_id ?? 0, { timeoutMs: BATCH_MS });
      if (job.status === "done" && job.document_id != null) return job.document_id;
      throw new EvalError(
        `Document ${JSON.stringify(id)} was not ingested: ${job.error ?? `its job is ${job.status}`}`,
      );
    }));
}

/** A title as the contract takes it. */
function titleOf(title: string): string | undefined {
  // deno-lint-ignore no-control-regex -- a title has none of them
  const printable = title.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").toWellFormed().trim();
  return printable === "" ? undefined : printable.slice(0, MAX_TITLE_CHARS).toWellFormed().trim();
}

async function about<T>(id: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new EvalError(`Document ${JSON.stringify(id)}: ${error.message}`, { cause: error });
  }
}

/** The results in the order of the items; the first failure ends it. */
async function inParallel<T, R>(
  items: readonly T[],
  make: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await make(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}
