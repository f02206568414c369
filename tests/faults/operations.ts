/**
 * The operations during which calls fail, on an engine that is open.
 *
 * @module
 */
import { type EmbeddedEngine, formOf } from "../support/embedded_engine.ts";
import { document, type Documents, type Expected, withDocument, withoutDocument } from "./model.ts";

/** Outcome of an operation. */
export interface Attempt {
  /** States that the answer allows. */
  readonly allowed: readonly Documents[];
  /** Error code of the answer; undefined for success. */
  readonly code?: string;
  readonly message?: string;
}

/** An operation that fails at its n-th call. */
export interface Operation {
  /** Prepares a document without faults. Returns the state after it. */
  readonly prepare?: (engine: EmbeddedEngine, documents: Documents, word: string) => Promise<Documents>;
  /**
   * Runs until its answer, and further until a fault or the end of the work that it has queued.
   *
   * @param word A new word, or that of the prepared document.
   * @param hasFailed Whether a call has failed.
   */
  readonly run: (
    engine: EmbeddedEngine,
    documents: Documents,
    word: string,
    hasFailed: () => boolean,
  ) => Promise<Attempt>;
}

/** Operations by name. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "ingest a note": { run: (...args) => ingest(...args, (text) => ({ text })) },
  "ingest a file": {
    run: (...args) => ingest(...args, (text, word) => ({ file: new File([text], `${word}.txt`) })),
  },
  "update a note": {
    prepare: add,
    run: async (engine, documents, word) => {
      const before = documents.get(word)!;
      const changed = { ...before, text: `${word} has a new text` };
      const response = await engine.call("updateNote", {
        id: await idOf(engine, word),
        body: { text: changed.text },
      });
      return attempt(response, documents, withDocument(documents, changed));
    },
  },
  "change tags": {
    prepare: add,
    run: async (engine, documents, word) => {
      const before = documents.get(word)!;
      const body = { remove: [...before.tags], add: [`tag-${word}`, "collection:faults"] };
      const response = await engine.call("changeTags", { id: await idOf(engine, word), body });
      return attempt(response, documents, withDocument(documents, { ...before, tags: body.add }));
    },
  },
  "delete a note": { prepare: add, run: remove },
  "delete a long note": {
    prepare: (engine, documents, word) => addDocument(engine, documents, document(word, { paragraphs: 20 })),
    run: remove,
  },
};

async function ingest(
  engine: EmbeddedEngine,
  documents: Documents,
  word: string,
  hasFailed: () => boolean,
  fields: (text: string, word: string) => { text: string } | { file: File },
): Promise<Attempt> {
  const added = document(word);
  const body = formOf({ ...fields(added.text, word), tags: added.tags });
  const response = await engine.call("createJob", { body });
  if (response.status === 202) {
    while (!hasFailed()) {
      const job = await engine.call("getJob", { id: response.body.job_id });
      if (job.status !== 200 || !["queued", "processing"].includes(job.body.status)) break;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  return attempt(response, documents, withDocument(documents, added));
}

async function remove(engine: EmbeddedEngine, documents: Documents, word: string): Promise<Attempt> {
  const response = await engine.call("deleteDocument", { id: await idOf(engine, word) });
  return attempt(response, documents, withoutDocument(documents, word));
}

/** Adds a document without faults. */
export async function addDocument(
  engine: EmbeddedEngine,
  documents: Documents,
  added: Expected,
): Promise<Documents> {
  const job = await engine.ingest({ text: added.text, tags: added.tags });
  if (job.status !== "done") throw new Error(`Cannot prepare ${added.word}: ${job.error}`);
  return withDocument(documents, added);
}

function add(engine: EmbeddedEngine, documents: Documents, word: string): Promise<Documents> {
  return addDocument(engine, documents, document(word));
}

async function idOf(engine: EmbeddedEngine, word: string): Promise<number> {
  const { body } = await engine.call("search", { body: { query: `"${word}"`, top: 1 } });
  return body.results[0].document_id;
}

/** Only an error that is not about storage may leave it open whether the change was made. */
function attempt(
  { status, body }: { status: number; body: { error?: { code: string; message: string } } },
  before: Documents,
  after: Documents,
): Attempt {
  if (status < 300) return { allowed: [after] };
  const { code = "", message = "" } = body.error ?? {};
  return { allowed: message.includes("Nothing was changed") ? [before] : [before, after], code, message };
}
