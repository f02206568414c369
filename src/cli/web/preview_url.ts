import { crawl, Fetcher, type FetcherOptions, FetchError, singlePagePath } from "../../crawler/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { ClientContext } from "../client/client_context.ts";
import { EXIT_PARTLY, ExitError } from "../exit_status.ts";
import { DEFAULT_MAX_PAGES } from "./fetch_and_send.ts";
import { nameOfHost, type WebSourceOptions } from "./web_source.ts";

/** A page that would be stored. */
interface PreviewedPage {
  readonly url: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Implements `--dry-run`: fetches in this process, and lists what would be stored.
 *
 * @returns The exit status.
 * @throws {ExitError} If the start cannot be fetched.
 */
export async function previewUrl(
  url: string,
  { name = nameOfHost(url), crawl: isCrawl, crawlPrefix: prefix, maxPages = DEFAULT_MAX_PAGES }:
    WebSourceOptions,
  { output, signal }: ClientContext,
  fetch: FetcherOptions,
): Promise<number> {
  const fetcher = new Fetcher(fetch);
  const pages: PreviewedPage[] = [];
  const failures: { url: string; code: string; error: string }[] = [];
  const show = (page: PreviewedPage) => {
    pages.push(page);
    if (!output.isJson) output.lines(`${oneLine(`${name}/${page.path}`, 2000)}  ${oneLine(page.url, 2000)}`);
  };
  try {
    if (isCrawl) {
      for await (const event of crawl(url, { fetcher, maxPages, prefix, signal })) {
        if (event.type === "fetched") {
          const { url, path, document } = event;
          show({ url, path, bytes: document.bytes.length });
        } else if (event.type === "failed") {
          failures.push({ url: event.url, code: event.error.code, error: event.error.message });
        } else if (event.type === "incomplete") output.error(event.message);
      }
    } else {
      const page = await fetcher.fetch(url, { signal });
      if (page.status !== "fetched") {
        throw new ExitError(1, `Cannot fetch ${oneLine(url)}: the page does not exist`);
      }
      const path = singlePagePath(new URL(url), new URL(url));
      show({ url: page.url.href, path, bytes: page.bytes.length });
    }
  } catch (error) {
    if (error instanceof FetchError) throw new ExitError(1, error.message, { cause: error });
    throw error;
  }
  const shown = pages.map(({ url, path, bytes }) => ({ url, path: `${name}/${path}`, bytes }));
  if (output.isJson) output.json({ pages: shown, failures });
  for (const { url, error } of output.isJson ? [] : failures) {
    output.error(`${oneLine(url)}: ${oneLine(error)}`);
  }
  return failures.length > 0 ? EXIT_PARTLY : 0;
}
