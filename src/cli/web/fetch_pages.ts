import { DEFAULT_CRAWL_PAGES } from "../../contract/mod.ts";
import {
  crawl,
  type FetchedDocument,
  Fetcher,
  type FetcherOptions,
  FetchError,
  singlePagePath,
} from "../../crawler/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { ClientContext } from "../client/client_context.ts";
import { ExitError } from "../exit_status.ts";
import type { WebSourceOptions } from "./web_source.ts";

/** A page that is not stored, with the reason. */
export interface PageFailure {
  readonly url: string;
  readonly code: string;
  readonly error: string;
}

/** A page that this process has fetched. */
export interface FetchedPage {
  readonly url: string;
  /** Path of its document inside a source. */
  readonly path: string;
  readonly document: FetchedDocument;
}

/**
 * Fetches a page, or with `crawl` a site, in this process.
 *
 * @param onFailure Receives the pages of a site that cannot be fetched.
 * @throws {ExitError} If the page, or the start of the crawl, cannot be fetched.
 */
export async function* fetchPages(
  url: string,
  { crawl: isCrawl, crawlPrefix: prefix, maxPages = DEFAULT_CRAWL_PAGES }: WebSourceOptions,
  { output, signal, options, onFailure }: Pick<ClientContext, "output" | "signal"> & {
    readonly options: FetcherOptions;
    readonly onFailure: (failure: PageFailure) => void;
  },
): AsyncGenerator<FetchedPage> {
  const fetcher = new Fetcher(options);
  try {
    if (!isCrawl) {
      const document = await fetcher.fetch(url, { signal });
      if (document.status !== "fetched") {
        throw new ExitError(1, `Cannot fetch ${oneLine(url)}: the page does not exist`);
      }
      return yield { url, path: singlePagePath(new URL(url), new URL(url)), document };
    }
    for await (const event of crawl(url, { fetcher, maxPages, prefix, signal })) {
      if (event.type === "fetched") yield event;
      else if (event.type === "incomplete") output.error(event.message);
      else if (event.type === "failed") {
        onFailure({ url: event.url, code: event.error.code, error: event.error.message });
      }
    }
  } catch (error) {
    if (error instanceof FetchError) throw new ExitError(1, error.message, { cause: error });
    throw error;
  }
}
