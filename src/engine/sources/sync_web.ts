import { createHash } from "node:crypto";
import type { FetchedDocument, Fetcher, FetcherOptions, KnownPage, Validators } from "../../crawler/mod.ts";
import { KnowledgeBaseError, type SourceFile } from "../knowledge_base/mod.ts";
import type { SourceSyncer, SyncRun } from "./source_syncer.ts";
import { tagsOfSource } from "./sync_folder.ts";

/** Loads the crawler when the first website is synchronized. */
const loadCrawler = () => import("../../crawler/mod.ts");
type Crawler = Awaited<ReturnType<typeof loadCrawler>>;

/**
 * Returns the syncer of websites: single pages, or the pages that a crawl finds. Each page is stored with its
 * validators and links as it arrives, so that a synchronization that was interrupted continues.
 *
 * A page that does not exist any more (404, 410) moves to the trash. After any other failure the document stays
 * as it is.
 */
export function createWebSyncer(options: FetcherOptions): SourceSyncer {
  // Shared, for the delay between requests to a host.
  let fetcher: Fetcher | undefined;
  return async (run) => {
    const crawler = await loadCrawler();
    fetcher ??= new crawler.Fetcher(options);
    const sync = new WebSync(run, crawler, fetcher, await run.store.files(run.source.id));
    if (run.source.options.crawl && !run.paths) await sync.crawl(run.source.options.crawl);
    else await sync.fetchPages();
  };
}

/** A page to store. */
interface ArrivedPage {
  readonly url: string;
  readonly path: string;
  readonly document: FetchedDocument;
  readonly links: readonly string[];
}

/** One synchronization of a website. */
class WebSync {
  readonly #run: SyncRun;
  readonly #crawler: Crawler;
  readonly #fetcher: Fetcher;
  readonly #givenTags: readonly string[];
  /** Stored pages by path. */
  readonly #stored: Map<string, SourceFile>;
  /** Paths of stored pages by URL. */
  readonly #paths: Map<string, string>;
  /** Paths of stored pages that were found again, or could not be checked. */
  readonly #kept = new Set<string>();

  constructor(run: SyncRun, crawler: Crawler, fetcher: Fetcher, files: readonly SourceFile[]) {
    this.#run = run;
    this.#crawler = crawler;
    this.#fetcher = fetcher;
    this.#givenTags = tagsOfSource(run.source.options);
    this.#stored = new Map(files.map((file) => [file.path, file]));
    this.#paths = new Map(files.map(({ path, details }) => [String(details.url), path]));
  }

  /** Fetches the pages that the source lists, or the selected ones of a crawl. */
  async fetchPages(): Promise<void> {
    const { source, paths, signal, progress } = this.#run;
    for (const [path, url] of this.#listedPages()) {
      signal.throwIfAborted();
      if (paths && !paths.includes(path)) continue;
      const stored = this.#stored.get(path);
      try {
        const result = await this.#fetcher.fetch(url, { validators: this.#validators(stored), signal });
        if (result.status === "fetched") {
          await this.#store({ url, path, document: result, links: linksOf(stored) });
        } else if (result.status === "not_modified" && stored) await this.#keep(stored);
        else if (stored) await this.#remove([path]);
        else progress.fail(path, "not_found", "The page does not exist");
      } catch (error) {
        this.#fail(path, error);
      }
      this.#kept.add(path);
    }
    if (!paths && !source.options.crawl) await this.#removeOthers();
  }

  /** Crawls the site, and moves pages to the trash that no longer belong to it. */
  async crawl(
    { max_pages: maxPages, prefix }: { max_pages: number; prefix?: string | undefined },
  ): Promise<void> {
    const { source, signal, progress } = this.#run;
    const known = new Map([...this.#stored.values()].map((file): [string, KnownPage] => [
      String(file.details.url),
      { ...this.#validators(file), links: linksOf(file) },
    ]));
    const options = { fetcher: this.#fetcher, maxPages, prefix, known, signal };
    let isComplete = true;
    try {
      for await (const event of this.#crawler.crawl(source.location, options)) {
        if (event.type === "incomplete") {
          isComplete = false;
          progress.fail(source.location, event.type, event.message);
          continue;
        }
        const path = this.#paths.get(event.url);
        if (event.type === "fetched") await this.#store(event);
        else if (event.type === "failed") this.#fail(path ?? event.url, event.error);
        else if (event.type === "gone" && path !== undefined) await this.#remove([path]);
        else if (path !== undefined) await this.#keep(this.#stored.get(path)!);
        if (path !== undefined) this.#kept.add(path);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof this.#crawler.FetchError)) throw error;
      progress.error = `${error.message}. Nothing was deleted`;
      isComplete = false;
    }
    if (isComplete) await this.#removeOthers();
  }

  /** URLs by path. */
  #listedPages(): Map<string, string> {
    const { location, options: { pages, crawl } } = this.#run.source;
    if (crawl) return new Map([...this.#stored].map(([path, { details }]) => [path, String(details.url)]));
    const { singlePagePath } = this.#crawler;
    const first = new URL(location);
    return new Map([location, ...pages].map((url) => [singlePagePath(new URL(url), first), url]));
  }

  async #store({ url, path, document: page, links }: ArrivedPage): Promise<void> {
    const { source, store, reader, progress, retry } = this.#run;
    const { bytes, filename, contentType, validators } = page;
    const contentHash = createHash("sha256").update(bytes).digest("hex");
    const now = Date.now();
    const content = {
      sourceId: source.id,
      path,
      state: {
        size: bytes.length,
        mtime: Date.parse(validators.lastModified ?? "") || now,
        ctime: 0,
        checkedAt: now,
      },
      contentHash,
      details: { url, ...validators, links },
    };
    this.#kept.add(path);
    const stored = this.#stored.get(path);
    const isSame = stored?.contentHash === contentHash && stored.details.url === url &&
      (stored.documentId !== null || (stored.error !== null && !retry));
    if (isSame) {
      await store.touchFiles([content]);
      return await this.#keep(stored);
    }
    try {
      const read = await reader.read({
        filename,
        ...(contentType === undefined ? {} : { contentType }),
        sizeBytes: bytes.length,
        chunks: ReadableStream.from([bytes]),
      });
      if ("error" in read) {
        await store.failFile(content, read.error);
        return progress.fail(path, read.error.code, read.error.message);
      }
      const metadata = {
        ...read.document.metadata,
        url: page.url.href,
        fetched_at: new Date(now).toISOString(),
      };
      const document = { ...read.document, metadata };
      const { outcome } = await store.storeFile({ ...content, document, givenTags: this.#givenTags });
      progress.count(outcome);
      progress.warn(path, document.warnings);
    } catch (error) {
      this.#fail(path, error);
    }
  }

  /** Counts a page that has not changed, and applies changed tags of the source. */
  async #keep({ path, error, givenTags }: SourceFile): Promise<void> {
    const { source, store, progress } = this.#run;
    if (error) return progress.fail(path, error.code, error.message);
    progress.count("unchanged");
    if (givenTags.join("\n") !== this.#givenTags.join("\n")) {
      await store.tagFiles(source.id, [path], this.#givenTags);
    }
  }

  async #removeOthers(): Promise<void> {
    await this.#remove([...this.#stored.keys()].filter((path) => !this.#kept.has(path)));
  }

  async #remove(paths: readonly string[]): Promise<void> {
    const { source, store, progress } = this.#run;
    if (paths.length > 0) progress.count("deleted", await store.removeFiles(source.id, paths));
  }

  /** Reports a page that could not be fetched or stored. */
  #fail(path: string, error: unknown): void {
    this.#run.signal.throwIfAborted();
    const isConflict = error instanceof KnowledgeBaseError && /^(?:conflict|invalid)$/.test(error.code);
    if (!isConflict && !(error instanceof this.#crawler.FetchError)) throw error;
    this.#run.progress.fail(path, error.code, error.message);
  }

  /** A page whose document is missing, or that is read again, is requested without conditions. */
  #validators(file: SourceFile | undefined): Validators {
    if (!file || (file.error ? this.#run.retry : file.documentId === null)) return {};
    const { etag, lastModified } = file.details;
    return {
      ...(typeof etag === "string" ? { etag } : {}),
      ...(typeof lastModified === "string" ? { lastModified } : {}),
    };
  }
}

function linksOf(file: SourceFile | undefined): readonly string[] {
  const links = file?.details.links;
  return Array.isArray(links) ? links.filter((link) => typeof link === "string") : [];
}
