import { EngineError } from "../../client/mod.ts";
import { checkCallerTags, collectionTag, DEFAULT_COLLECTION } from "../../collections/mod.ts";
import { crawl, type FetchedDocument, Fetcher, type FetcherOptions, FetchError } from "../../crawler/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { ACTOR, type ClientContext } from "../client/client_context.ts";
import { jobError } from "../client/notes.ts";
import { EXIT_PARTLY, ExitError } from "../exit_status.ts";
import type { WebSourceOptions } from "./web_source.ts";

/** Default maximum number of pages of a crawl, as in the contract. */
export const DEFAULT_MAX_PAGES = 200;
/** Time to wait for the job of a page, in milliseconds. */
const JOB_WAIT_MS = 300_000;

/** A page that is not stored, with the reason. */
interface PageFailure {
  readonly url: string;
  readonly code: string;
  readonly error: string;
}

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
  const fetcher = new Fetcher(fetch);
  const stored: string[] = [];
  const failures: PageFailure[] = [];
  const send = async (pageUrl: string, page: FetchedDocument) => {
    const failure = await sendPage(pageUrl, page, options, context);
    if (failure) failures.push({ url: pageUrl, ...failure });
    else stored.push(pageUrl);
  };
  try {
    if (options.crawl) {
      const { maxPages = DEFAULT_MAX_PAGES, crawlPrefix: prefix } = options;
      for await (const event of crawl(url, { fetcher, maxPages, prefix, signal })) {
        if (event.type === "fetched") await send(event.url, event.document);
        else if (event.type === "failed") {
          failures.push({ url: event.url, code: event.error.code, error: event.error.message });
        } else if (event.type === "incomplete") output.error(event.message);
      }
    } else {
      const page = await fetcher.fetch(url, { signal });
      if (page.status !== "fetched") {
        throw new ExitError(1, `Cannot fetch ${oneLine(url)}: the page does not exist`);
      }
      await send(url, page);
    }
  } catch (error) {
    if (error instanceof FetchError) throw new ExitError(1, error.message, { cause: error });
    throw error;
  }
  if (output.isJson) output.json({ stored, failures });
  else {
    output.lines(`Stored ${stored.length}, failed ${failures.length}.`);
    output.lines(
      ...failures.map(({ url, code, error }) => `  ${oneLine(url)}: ${oneLine(error)} (${oneLine(code)})`),
    );
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
    if (job.status !== "failed") return undefined;
    const { error_code: code, ...rest } = job;
    return { code: code ?? "failed", error: jobError(rest) };
  } catch (error) {
    const isAboutPage = error instanceof EngineError && /^(?:too_large|invalid|conflict)$/.test(error.code);
    if (!isAboutPage) throw error;
    return { code: error.code, error: error.message };
  }
}
