import type { FetcherOptions } from "../../crawler/mod.ts";
import { oneLine } from "../../text/mod.ts";
import type { ClientContext } from "../client/client_context.ts";
import { nameOfHost } from "../client/source_name.ts";
import { EXIT_PARTLY } from "../exit_status.ts";
import { fetchPages, type PageFailure } from "./fetch_pages.ts";
import type { WebSourceOptions } from "./web_source.ts";

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
  options: WebSourceOptions,
  { output, signal }: ClientContext,
  fetch: FetcherOptions,
): Promise<number> {
  const { name = nameOfHost(url) } = options;
  const pages: PreviewedPage[] = [];
  const failures: PageFailure[] = [];
  const onFailure = (failure: PageFailure) => failures.push(failure);
  for await (const page of fetchPages(url, options, { output, signal, options: fetch, onFailure })) {
    const path = `${name}/${page.path}`;
    pages.push({ url: page.url, path, bytes: page.document.bytes.length });
    if (!output.isJson) output.lines(`${oneLine(path, 2000)}  ${oneLine(page.url, 2000)}`);
  }
  if (output.isJson) output.json({ pages, failures });
  for (const { url, error } of output.isJson ? [] : failures) {
    output.error(`${oneLine(url)}: ${oneLine(error)}`);
  }
  return failures.length > 0 ? EXIT_PARTLY : 0;
}
