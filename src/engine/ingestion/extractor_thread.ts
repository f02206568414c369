/**
 * The thread of {@linkcode Extractor}. Parsers of PDF and DOCX read hostile files: they may take minutes or
 * never return, and must not block the event loop that serves requests.
 *
 * @module
 */
import { nodeChannel, serveThread, type ThreadChannel } from "../../async/mod.ts";
import { type ChunkOptions, chunkText, extract, ExtractionError } from "../../extraction/mod.ts";
import type { IngestedFile } from "../knowledge_base/mod.ts";

/** A file to extract. */
export interface ExtractTask {
  /** Path of the spooled file. */
  readonly path: string;
  /** File name given by the sender. */
  readonly filename: string | undefined;
  /** Media type claimed by the sender. */
  readonly contentType: string | undefined;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
}

/** The extracted document. */
export type Extracted = Omit<IngestedFile, "jobId">;

/** Stage of the current task. */
export interface ExtractionProgress {
  readonly stage: string;
  /** From 0 to 1. */
  readonly progress: number;
}

/** Runs the extractor thread, started with `node:worker_threads`. */
export async function serve(): Promise<void> {
  const { parentPort } = await import("node:worker_threads");
  if (parentPort) serveExtraction(nodeChannel(parentPort));
}

function serveExtraction(channel: ThreadChannel): void {
  serveThread(channel, (_settings, notify: (progress: ExtractionProgress) => void) => ({
    handle: (task: ExtractTask) => run(task, notify),
  }));
}

async function run(task: ExtractTask, notify: (progress: ExtractionProgress) => void): Promise<Extracted> {
  try {
    const bytes = await Deno.readFile(task.path);
    const text = await extract({ bytes, filename: task.filename, contentType: task.contentType });
    notify({ stage: "indexing", progress: 0.5 });
    return {
      docType: text.docType,
      ...(text.title === undefined ? {} : { title: text.title }),
      ...(text.metadata === undefined ? {} : { metadata: text.metadata }),
      tags: text.tags,
      chunks: chunkText(text, task.chunk),
    };
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError("internal", "The file could not be read because of an internal error", {
      cause: error,
    });
  }
}
