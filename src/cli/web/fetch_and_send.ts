import { EngineError } from "../../client/mod.ts";
import { checkCallerTags, collectionTag, DEFAULT_COLLECTION } from "../../collections/mod.ts";
import type { FetchedDocument, FetcherOptions } from "../../crawler/mod.ts";
import { ACTOR, type ClientContext } from "../client/client_context.ts";
import { describeFailure } from "../client/failures.ts";
import { jobError } from "../client/notes.ts";
import { EXIT_PARTLY } from "../exit_status.ts";
import { fetchPages, type PageFailure } from "./fetch_pages.ts";
import type { WebSourceOptions } from "./web_source.ts";

/** Time to wait for the job of a page, in milliseconds. */
const JOB_WAIT_MS = 300_000;

/**
 * Fetches a page or a site in this process, and sends what arrives to an engine without sources. The path of a document
 * is its URL, so that the same command replaces it later.
 *
 * @returns The exit status.
 * @throws {ExitError} If a single page, or the start of the crawl, cannot be fetched.
 */
export async function fetchAndSend(
  url: string,
  options: WebSourceOptions,
  context: ClientContext,
  fetch: FetcherOptions,
): Promise<number> {
  const { output, signal } = context;
  const stored: string[] = [];
  const failures: PageFailure[] = [];
  const onFailure = (failure: PageFailure) => failures.push(failure);
  for await (const page of fetchPages(url, options, { output, signal, options: fetch, onFailure })) {
    const failure = await sendPage(page.url, page.document, options, context);
    if (failure) failures.push({ url: page.url, ...failure });
    else stored.push(page.url);
  }
  if (output.isJson) output.json({ stored, failures });
  else {
    output.lines(`Stored ${stored.length}, failed ${failures.length}.`);
    output.lines(...failures.map(({ url, ...rest }) => describeFailure({ path: url, ...rest })));
  }
  return failures.length === 0 ? 0 : stored.length === 0 ? 1 : EXIT_PARTLY;
}

/** Sends a page and waits until it is stored. Returns why it is not. */
async function sendPage(
  url: string,
  { bytes, filename, contentType }: FetchedDocument,
  { collection, tags = [], versionLabel }: WebSourceOptions,
  { client, collections, signal }: ClientContext,
): Promise<{ readonly code: string; readonly error: string } | undefined> {
  const own = collection === undefined ? DEFAULT_COLLECTION : collections.check(collection);
  const label = versionLabel === undefined ? [] : [`version:${versionLabel}`];
  try {
    const { job_id: id } = await client.addFile({
      filename,
      contentType,
      size: bytes.length,
      open: () => ReadableStream.from([bytes]),
      source_path: url,
      tags: [collectionTag(own), ...checkCallerTags([...tags, ...label])],
      keepCollection: collection === undefined,
    }, { actor: ACTOR, signal });
    const job = await client.waitForJob(id, { timeoutMs: JOB_WAIT_MS, signal });
    if (job.status === "cancelled") return { code: job.status, error: "The job was cancelled" };
    if (job.status !== "failed") return undefined;
    const { error_code: code, ...rest } = job;
    return { code: code ?? "failed", error: jobError(rest) };
  } catch (error) {
    const isAboutPage = error instanceof EngineError && /^(?:too_large|invalid|conflict)$/.test(error.code);
    if (!isAboutPage) throw error;
    return { code: error.code, error: error.message };
  }
}
