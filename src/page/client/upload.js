/** Uploads a file with the tools for it, and follows its job. */
import { call, CallError } from "./mcp.js";
import { progressOf } from "./status.js";

/** @typedef {import("./mcp.js").Output} Output */

/** How long a call of `kb_jobs` waits, in seconds. */
const WAIT_SECONDS = 20;

/**
 * Sends a file.
 *
 * @param {File} file
 * @param {object} options
 * @param {Record<string, unknown>} options.input Collection, tags and the like.
 * @param {(sent: number) => void} options.onProgress Gets the number of bytes that were sent.
 * @param {AbortSignal} options.signal
 * @returns {Promise<Output>} The output of `kb_upload_finish`.
 */
export async function uploadFile(file, { input, onProgress, signal }) {
  const started = await call("kb_upload_start", {
    ...input,
    filename: file.name,
    total_size: file.size,
  }, { signal });
  // Below this page, not below KB_MCP_PUBLIC_URL: another origin is not allowed to receive it.
  const capability = String(started.upload_url).split("/uploads/").at(-1) ?? "";
  await put(`uploads/${encodeURIComponent(capability)}`, file, { onProgress, signal });
  return await call("kb_upload_finish", { upload_id: started.upload_id }, { signal });
}

/**
 * Waits until a job and those of its files have ended.
 *
 * @param {Output} output Of `kb_upload_finish` or `kb_addnote`.
 * @param {{ onProgress: (text: string) => void, signal: AbortSignal }} options
 * @returns {Promise<Output>} The job, or the output if nothing is left to wait for.
 */
export async function followJob(output, { onProgress, signal }) {
  if (output.next === undefined || output.outcome === "conflict") return output;
  /** @type {Output} */
  let job = output;
  while (isRunning(job)) {
    const { jobs = [] } = await call("kb_jobs", { job_id: output.job_id, wait: WAIT_SECONDS }, { signal });
    job = jobs[0] ?? { ...output, status: "expired" };
    onProgress(progressOf(job) || String(job.status));
  }
  if (job.status === "failed") throw new CallError(job.error ?? "The file could not be read.");
  if (job.status === "cancelled") throw new CallError("The job was cancelled.");
  return job;
}

/** @param {Output} job */
function isRunning({ status, file_jobs = {} }) {
  return [status, ...(file_jobs?.queued ? ["queued"] : []), ...(file_jobs?.processing ? ["processing"] : [])]
    .some((each) => each === "queued" || each === "processing");
}

/**
 * `fetch` does not report how much was sent.
 *
 * @param {string} url
 * @param {File} file
 * @param {{ onProgress: (sent: number) => void, signal: AbortSignal }} options
 * @returns {Promise<void>}
 */
function put(url, file, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort, { once: true });
    request.upload.addEventListener("progress", ({ loaded }) => onProgress(loaded));
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    request.addEventListener("load", () => {
      if (request.status === 200) resolve();
      else reject(new CallError(errorOf(request)));
    });
    request.addEventListener("error", () => {
      // Also a file that was changed or deleted after it was selected.
      reject(
        new CallError("The file could not be sent. Check the file and that the server runs, then try again."),
      );
    });
    request.addEventListener(
      "abort",
      () => reject(new DOMException("The upload was cancelled", "AbortError")),
    );
    request.open("PUT", url);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.send(file);
  });
}

/** @param {XMLHttpRequest} request */
function errorOf({ status, responseText }) {
  try {
    const { error } = JSON.parse(responseText);
    if (typeof error?.message === "string") return error.message;
  } catch {
    // The error page of a proxy.
  }
  return `The server refused the file with status ${status}.`;
}
