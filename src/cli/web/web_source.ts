import { ConfigError } from "../../config/mod.ts";
import { MAX_SOURCE_PAGES, type NewSource, type Source } from "../../contract/mod.ts";
import { checkSourceName, nameOfHost } from "../client/source_name.ts";

/** Options of a website, as the parser returns them. */
export interface WebSourceOptions {
  /** Name of the source. Default: that of the host. */
  readonly name?: string;
  readonly collection?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  /** Whether to follow the sitemap, `llms.txt` or links. */
  readonly crawl?: boolean;
  readonly crawlPrefix?: string;
  readonly maxPages?: number;
  readonly versionLabel?: string;
}

/**
 * Plans how a URL becomes part of the sources: single pages of a host share one, and a crawl has one of its own.
 *
 * @param sources Sources of the engine.
 * @throws {ConfigError} If the options contradict each other, or the source with the given name.
 */
export function planWebSource(url: string, options: WebSourceOptions, sources: readonly Source[]): NewSource {
  checkOptions(options);
  const wanted = wantedSource(url, options);
  const given = options.name === undefined ? undefined : sources.find(({ name }) => name === options.name);
  if (options.name !== undefined) {
    const merged = given ? merge(given, wanted) : wanted;
    if (merged) return merged;
    throw new ConfigError(
      `The source ${options.name} has another location, collection, version label or tags: choose another --name`,
    );
  }
  const owner = sources.find((source) => source.location === url || source.pages?.includes(url));
  const merged = owner ? merge(owner, wanted) : undefined;
  if (merged) return merged;
  for (let number = 1;; number++) {
    const name = number === 1 ? wanted.name : `${wanted.name.slice(0, 60)}-${number}`;
    const existing = sources.find((source) => source.name === name);
    const plan = existing ? merge(existing, wanted) : { ...wanted, name };
    if (plan) return plan;
  }
}

function wantedSource(url: string, options: WebSourceOptions): NewSource {
  const { name = nameOfHost(url), collection, tags = [], description, crawl, crawlPrefix, maxPages } =
    options;
  return {
    name: checkSourceName(name),
    url,
    tags: [...tags],
    ...(collection === undefined ? {} : { collection }),
    ...(description === undefined ? {} : { description }),
    ...(options.versionLabel === undefined ? {} : { version_label: options.versionLabel }),
    ...(crawl
      ? {
        crawl: {
          ...(maxPages === undefined ? {} : { max_pages: maxPages }),
          ...(crawlPrefix === undefined ? {} : { prefix: crawlPrefix }),
        },
      }
      : {}),
  };
}

/** Returns a source with a page more, or the same site with new options; undefined if they do not fit. */
function merge(source: Source, wanted: NewSource): NewSource | undefined {
  const { name, location, type, pages = [], crawl, description } = source;
  if (type !== "web" || source.configured) return undefined;
  const isSite = Boolean(crawl) || Boolean(wanted.crawl);
  if (isSite) return location === wanted.url && crawl && wanted.crawl ? { ...wanted, name } : undefined;
  const isSame = source.collection === (wanted.collection ?? "documents") &&
    (source.version_label ?? undefined) === wanted.version_label &&
    [...source.tags].sort().join("\n") === [...wanted.tags ?? []].sort().join("\n");
  if (!isSame || wanted.url === undefined) return undefined;
  const all = location === wanted.url || pages.includes(wanted.url) ? pages : [...pages, wanted.url];
  if (all.length > MAX_SOURCE_PAGES) return undefined;
  return { ...(description ? { description } : {}), ...wanted, name, url: location, pages: [...all] };
}

function checkOptions({ crawl, crawlPrefix, maxPages }: WebSourceOptions): void {
  if (!crawl && (crawlPrefix !== undefined || maxPages !== undefined)) {
    throw new ConfigError("--crawl-prefix and --max-pages must be given together with --crawl");
  }
}
