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

/** What an operation works on. */
export interface Context {
  readonly engine: EmbeddedEngine;
  /** State before the operation. */
  readonly documents: Documents;
  /** Word of the document to add, or of the prepared one. */
  readonly word: string;
  /** Id of the prepared document. */
  readonly id: number;
  /** Whether a call has failed. */
  readonly hasFailed: () => boolean;
}

/** An operation during which calls fail. */
export interface Operation {
  /** Returns a document to prepare without faults. */
  readonly prepare?: (word: string) => Expected;
  /** Runs until its answer, and further until a fault or the end of the work that it has queued. */
  readonly run: (context: Context) => Promise<Attempt>;
}

/** Operations by name. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "ingest a note": { run: (context) => ingest(context, (text) => ({ text })) },
  "ingest a file": {
    run: (context) => ingest(context, (text, word) => ({ file: new File([text], `${word}.txt`) })),
  },
  "update a note": {
    prepare: document,
    run: async ({ engine, documents, word, id }) => {
      const changed = { ...documents.get(word)!, text: `${word} has a new text` };
      const response = await engine.call("updateNote", { id, body: { text: changed.text } });
      return attempt(response, documents, withDocument(documents, changed));
    },
  },
  "change tags": {
    prepare: document,
    run: async ({ engine, documents, word, id }) => {
      const before = documents.get(word)!;
      const body = { remove: [...before.tags], add: [`tag-${word}`, "collection:faults"] };
      const response = await engine.call("changeTags", { id, body });
      return attempt(response, documents, withDocument(documents, { ...before, tags: body.add }));
    },
  },
  "delete a note": { prepare: document, run: remove },
  "delete a long note": { prepare: (word) => document(word, { paragraphs: 20 }), run: remove },
  "search": {
    run: async ({ engine, documents }) => {
      const query = 'chunked indxed "some words" word*';
      return attempt(
        await engine.call("search", { body: { query, tags: ["faults"] } }),
        documents,
        documents,
      );
    },
  },
};

async function ingest(
  { engine, documents, word, hasFailed }: Context,
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

async function remove({ engine, documents, word, id }: Context): Promise<Attempt> {
  const response = await engine.call("deleteDocument", { id });
  return attempt(response, documents, withoutDocument(documents, word));
}

/** Adds a document without faults. Returns its id. */
export async function addDocument(engine: EmbeddedEngine, { word, text, tags }: Expected): Promise<number> {
  const job = await engine.ingest({ text, tags });
  if (job.status !== "done" || job.document_id === null) throw new Error(`Cannot add ${word}: ${job.error}`);
  return job.document_id as number;
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
