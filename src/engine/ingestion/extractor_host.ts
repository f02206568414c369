/**
 * The far side of {@linkcode Extractor}: runs on a thread of its own, because the parsers of PDF and DOCX are given
 * hostile files. They may take minutes or never come back, and the event loop that answers agents must not wait.
 */
import { type ChunkOptions, chunkText, extract, ExtractionError } from "../../extraction/mod.ts";
import type { IngestedFile } from "../knowledge_base/mod.ts";

/** A file to be made into text and chunks. */
export interface ExtractTask {
  /** Path of its bytes. */
  readonly path: string;
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  readonly chunk: ChunkOptions;
}

/** What became of a file, as it is stored. */
export type Extracted = Omit<IngestedFile, "jobId">;

/** What the thread says: that it has loaded, how far it is, and at the end of a task either of the others. */
export type ExtractorMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly stage: string; readonly progress: number }
  | { readonly kind: "done"; readonly extracted: Extracted }
  | {
    readonly kind: "failed";
    readonly code: ExtractionError["code"];
    readonly message: string;
    readonly cause?: string;
  };

/** Answers tasks, one after the other, until the thread is terminated. */
export async function serve(): Promise<void> {
  const { parentPort } = await import("node:worker_threads");
  const post = (message: ExtractorMessage) => parentPort?.postMessage(message);
  parentPort?.on("message", async (task: ExtractTask) => {
    try {
      post({ kind: "done", extracted: await run(task, post) });
    } catch (error) {
      post(failure(error));
    }
  });
  // What is posted to a thread before this may be lost.
  post({ kind: "ready" });
}

async function run(task: ExtractTask, post: (message: ExtractorMessage) => void): Promise<Extracted> {
  const bytes = await Deno.readFile(task.path);
  const text = await extract({ bytes, filename: task.filename, contentType: task.contentType });
  post({ kind: "progress", stage: "indexing", progress: 0.5 });
  return {
    docType: text.docType,
    ...(text.title === undefined ? {} : { title: text.title }),
    ...(text.metadata === undefined ? {} : { metadata: text.metadata }),
    tags: text.tags,
    chunks: chunkText(text, task.chunk),
  };
}

function failure(error: unknown): ExtractorMessage {
  if (error instanceof ExtractionError) return { kind: "failed", code: error.code, message: error.message };
  return {
    kind: "failed",
    code: "internal",
    message: "The file could not be read because of an internal error",
    cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  };
}
