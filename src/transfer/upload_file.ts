import { type CallOptions, type EngineClient, EngineError } from "../client/mod.ts";
import type { ImportResult } from "../contract/mod.ts";
import type { ImportedFile } from "./import_items.ts";

/** Maximum time to wait for the text of a file, in milliseconds. */
const WAIT_MS = 300_000;

/** Uploads a file and waits for its document. */
export async function uploadFile(
  client: EngineClient,
  file: ImportedFile,
  options: CallOptions & { readonly actor: string },
): Promise<ImportResult> {
  try {
    const { filename, size, sourcePath, tags, open } = file;
    const submitted = await client.addFile(
      { filename, size, open, source_path: sourcePath, tags, keepCollection: true },
      options,
    );
    const job = await client.waitForJob(submitted.job_id, { timeoutMs: WAIT_MS, ...pick(options) });
    if (job.status !== "done") {
      if (job.status === "cancelled") return { status: "failed", error: "The job was cancelled" };
      return { status: "failed", error: job.error ?? "The file is still being read: see kb-mcp jobs" };
    }
    const status = job.outcome === "duplicate"
      ? "unchanged"
      : job.outcome === "replaced"
      ? "updated"
      : "created";
    return { status, document_id: job.document_id };
  } catch (error) {
    const isOfFile = error instanceof EngineError &&
      ["invalid", "too_large", "conflict"].includes(error.code);
    if (isOfFile) return { status: "failed", error: error.message };
    throw error;
  }
}

function pick({ signal }: CallOptions): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}
