/**
 * Requests to the HTTP API of `kb-mcp engine`.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import { eventually } from "./eventually.ts";

/** Response to a request, parsed. */
export interface ApiResponse {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- the attacks read what they check
  readonly body: any;
}

/** A job that has ended. */
export interface EndedJob {
  readonly status: "done" | "failed";
  readonly document_id?: number;
  readonly error_code?: string;
  readonly error?: string;
}

/** Sends a request below `/api/v1`. */
export async function api(server: ServerProcess, path: string, init: RequestInit = {}): Promise<ApiResponse> {
  const response = await fetch(`${server.url}/api/v1${path}`, init);
  return { status: response.status, body: await response.json() };
}

/** Submits a note; the response is 202 when it is durable. */
export function submitNote(server: ServerProcess, text: string): Promise<ApiResponse> {
  const form = new FormData();
  form.append("text", text);
  return api(server, "/jobs", { method: "POST", body: form });
}

/** Submits a file; the response is 202 when it is durable. */
export function submitFile(server: ServerProcess, name: string, content: BlobPart): Promise<ApiResponse> {
  const form = new FormData();
  form.append("file", new File([content], name));
  form.append("source_path", name);
  return api(server, "/jobs", { method: "POST", body: form });
}

/** Waits for the end of a job. */
export async function waitForJob(server: ServerProcess, id: number, timeoutMs = 60_000): Promise<EndedJob> {
  const { body } = await eventually(
    () => api(server, `/jobs/${id}`),
    ({ body }) => body.status === "done" || body.status === "failed",
    { timeoutMs, description: `the end of job ${id}` },
  );
  return body;
}

/** Submits a file that must be accepted, and waits for the end of its job. */
export async function ingestFile(
  server: ServerProcess,
  name: string,
  content: BlobPart,
  timeoutMs?: number,
): Promise<EndedJob> {
  const { status, body } = await submitFile(server, name, content);
  if (status !== 202) throw new Error(`${name} expected status 202, got ${status}: ${JSON.stringify(body)}`);
  return await waitForJob(server, body.job_id, timeoutMs);
}

/** Stores notes that must become documents, and returns their texts. */
export async function storeNotes(server: ServerProcess, count: number, prefix = "note"): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, i) => `${prefix} number ${i} about subject${prefix}${i}`);
  const store = async (text: string) => {
    const { status, body } = await submitNote(server, text);
    if (status !== 202) throw new Error(`a note expected status 202, got ${status}: ${JSON.stringify(body)}`);
    const job = await waitForJob(server, body.job_id);
    if (job.status !== "done") throw new Error(`a note failed: ${job.error}`);
  };
  // In groups, so that they are several commits.
  for (let i = 0; i < count; i += 5) await Promise.all(texts.slice(i, i + 5).map(store));
  return texts;
}

/** Returns the number of stored documents. */
export async function documentCount(server: ServerProcess): Promise<number> {
  return (await api(server, "/status")).body.documents.total;
}
