import { ConfigError } from "../../config/mod.ts";
import type { NewSource, Source } from "../../contract/mod.ts";
import { type FetcherOptions, pageUrl, singlePagePath } from "../../crawler/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { ACTOR, type ClientContext } from "../client/client_context.ts";
import { supportedSources } from "../client/find_source.ts";
import { get } from "../client/get.ts";
import { printReport, synchronized } from "../client/sync_report.ts";
import { EXIT_PARTLY, ExitError } from "../exit_status.ts";
import { fetchAndSend } from "./fetch_and_send.ts";
import { previewUrl } from "./preview_url.ts";
import { planWebSource, type WebSourceOptions } from "./web_source.ts";

/** Options of `kb-mcp add URL`, as the parser returns them. */
export interface AddUrlOptions extends WebSourceOptions {
  readonly dryRun?: boolean;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

/**
 * Implements `kb-mcp add URL...`; see {@linkcode addUrl}. With several URLs, a failure does not end the command.
 *
 * @returns The exit status.
 */
export async function addUrls(
  urls: readonly string[],
  options: AddUrlOptions,
  context: ClientContext,
  fetch: FetcherOptions,
): Promise<number> {
  const [only] = urls;
  if (urls.length === 1 && only !== undefined) return await addUrl(only, options, context, fetch);
  const statuses: number[] = [];
  for (const url of urls) {
    try {
      statuses.push(await addUrl(url, options, context, fetch));
    } catch (error) {
      if (!(error instanceof ExitError)) throw error;
      context.output.error(error.message);
      statuses.push(error.status);
    }
  }
  const [first = 0] = statuses;
  return statuses.every((status) => status === first) ? first : EXIT_PARTLY;
}

/**
 * Implements `kb-mcp add URL`: adds a page, or with `--crawl` a site, as a source of the engine and prints the document
 * or the report. An engine without sources gets what this process fetches.
 *
 * @param fetch How this process fetches, if it has to.
 * @returns The exit status.
 * @throws {ConfigError} For a URL or options that are not valid.
 * @throws {ExitError} If the page cannot be fetched or stored.
 */
async function addUrl(
  argument: string,
  options: AddUrlOptions,
  context: ClientContext,
  fetch: FetcherOptions,
): Promise<number> {
  const { client, signal, output } = context;
  const url = checkUrl(argument);
  if (options.dryRun) return await previewUrl(url, options, context, fetch);
  const sources = await supportedSources(context);
  if (!sources) return await fetchAndSend(url, options, context, fetch);
  const plan = planWebSource(url, options, sources);
  const added = await client.addSource(plan, { actor: ACTOR, signal });
  if (options.wait === false) {
    if (output.isJson) output.json(added);
    else output.lines(`The source ${oneLine(added.name)} is being fetched: kb-mcp source list`);
    return 0;
  }
  const source = await withProgress(added, context);
  if (plan.crawl) return printReport(source, context);
  const error = failureOf(url, source);
  if (error !== undefined) {
    await undo(url, { plan, source, before: sources.find(({ name }) => name === plan.name) }, context);
    throw new ExitError(1, oneLine(error, 1000));
  }
  await get(`${source.name}/${pathOf(url, source)}`, { details: true }, context);
  return 0;
}

/** Waits for the end of a synchronization. On a terminal, standard error shows its progress. */
async function withProgress(source: Source, context: ClientContext): Promise<Source> {
  if (!context.output.showsProgress) return await synchronized(source, context);
  const encoder = new TextEncoder();
  const showLine = (line: string) => Deno.stderr.writeSync(encoder.encode(`\r\x1b[K${line}`));
  const last = await synchronized(source, context, ({ last_sync }) => {
    const { created = 0, updated = 0, unchanged = 0, failed = 0 } = last_sync ?? {};
    showLine(`${created + updated + unchanged} pages, ${failed} failed`);
  });
  showLine("");
  return last;
}

/** Returns the URL of a page. Messages do not repeat credentials. */
function checkUrl(argument: string): string {
  const url = pageUrl(argument);
  if (!url) throw new ConfigError(`The URL is not valid: ${JSON.stringify(argument)}`);
  if (url.username !== "" || url.password !== "") throw new ConfigError("The URL must not have credentials");
  return url.href;
}

function pathOf(url: string, { location }: Source): string {
  return singlePagePath(new URL(url), new URL(location));
}

/** Returns why a page has no document. */
function failureOf(url: string, source: Source): string | undefined {
  const path = pathOf(url, source);
  const report = source.last_sync;
  return report?.failures.find((each) => each.path === path)?.error ?? report?.error ?? undefined;
}

/** Removes a page again that could not be added, so that later synchronizations do not report it. */
async function undo(
  url: string,
  { plan, source, before }: {
    readonly plan: NewSource;
    readonly source: Source;
    readonly before: Source | undefined;
  },
  { client, signal }: ClientContext,
): Promise<void> {
  const options = { actor: ACTOR, signal };
  if (!before) await client.removeSource(source.source_id, {}, options);
  else if (before.location !== url && !before.pages?.includes(url)) {
    await client.addSource({ ...plan, pages: [...before.pages ?? []] }, options);
  }
}
