import * as z from "zod";
import { DocumentSummary } from "./documents.ts";
import { Id, Tag, Tags, Timestamp, Title } from "./primitives.ts";

/** Maximum number of failures that a report lists. */
export const MAX_SYNC_FAILURES = 100;

/** Name of a source, and the first segment of the `source_path` of its documents. */
export const SourceName = z.string().regex(
  /^[a-z0-9][a-z0-9_-]{0,63}$/,
  "must be 1 to 64 lower-case letters, digits, hyphens or underscores, and start with a letter or digit",
);

/**
 * A path inside a source: segments joined by `/`, without empty ones, `.` and `..`. Not `.*` to find these, which ends at
 * U+2028.
 */
export const RelativePath = z.string().min(1).max(1_500).regex(
  // deno-lint-ignore no-control-regex -- rejects control characters on purpose
  /^(?!\.{0,2}(?:\/|$))(?![\s\S]*\/\.{0,2}(?:\/|$))[^\u0000-\u001f\u007f\\]+$/,
  "must be a relative path with / between its segments, without empty segments, . and ..",
);

/** Patterns of file names, in the syntax of `.gitignore`. */
const Globs = z.array(z.string().min(1).max(500)).max(64);

/** Descriptions of sections by name; a section is a folder at the top of a source. */
const SectionDescriptions = z.record(z.string().min(1).max(200), z.string().max(500));

/** Maximum number of single pages of a source. */
export const MAX_SOURCE_PAGES = 1_000;

/** URL of a page or file on the web. Credentials would be listed with the source. */
const WebUrl = z.url({ protocol: /^https?$/ }).max(2_000).refine((url) => {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  return username === "" && password === "";
}, "must not have credentials");

/** Maximum number of pages of a crawl. */
export const MAX_CRAWL_PAGES = 10_000;
/** Default of {@linkcode CrawlOptions}' `max_pages`. */
export const DEFAULT_CRAWL_PAGES = 200;

/** Limits of following links from a web page. */
export const CrawlOptions = z.object({
  /** Maximum number of pages. */
  max_pages: z.int().min(1).max(MAX_CRAWL_PAGES).default(DEFAULT_CRAWL_PAGES),
  /** Follows links below this URL only. Default: the folder of the source's URL. */
  prefix: z.url().max(2_000).optional(),
});
/** Inferred from {@linkcode CrawlOptions}. */
export type CrawlOptions = z.infer<typeof CrawlOptions>;

/** Body of `POST /api/v1/sources`. A source of the same name and location gets the new options. */
export const NewSource = z.object({
  name: SourceName,
  /** Absolute path of a folder on the engine's machine. Accepted from that machine only. */
  path: z.string().min(1).max(4_096).optional(),
  /** Page or file on the web. A source has either a `path` or a `url`. */
  url: WebUrl.optional(),
  /** Further pages of a source that does not crawl. */
  pages: z.array(WebUrl).max(MAX_SOURCE_PAGES).default([]),
  description: z.string().max(500).optional(),
  /** Collection of the documents. */
  collection: Tag.default("documents"),
  /** Tags of the documents, in addition to those of their front matter. */
  tags: Tags.default([]),
  /** Only these files. Default: every file of a supported type. */
  include: Globs.default([]),
  /** Not these files, in addition to those that `.gitignore` and `.kbignore` exclude. */
  exclude: Globs.default([]),
  sections: SectionDescriptions.default({}),
  /** Whether changes of the folder are followed while the engine runs. */
  watch: z.boolean().default(false),
  /** Whether agents may create files. */
  writable: z.boolean().default(false),
  /** Follows the links of the page. Default: the page alone. */
  crawl: CrawlOptions.optional(),
  /** Version of a documentation, which is added to the tags as `version:…`. */
  version_label: z.string().min(1).max(100).optional(),
}).refine(({ path, url }) => (path === undefined) !== (url === undefined), "must have either path or url");
/** Body of `POST /api/v1/sources` before parsing. */
export type NewSource = z.input<typeof NewSource>;

/** A file that a synchronization could not store. */
export const SyncFailure = z.looseObject({
  /** Path inside the source, or URL. */
  path: z.string(),
  /**
   * The `error_code` of its job, or `unreadable`, `outside_source`, `not_a_file`, `conflict`; of a page also
   * `private_address`, `disallowed_by_robots`, `unreachable` and other codes of a failed request, or `incomplete`
   * for a crawl that ended at a limit.
   */
  code: z.string(),
  /** Reason, for the owner of the file. */
  error: z.string(),
});
/** Inferred from {@linkcode SyncFailure}. */
export type SyncFailure = z.infer<typeof SyncFailure>;

/** A doubt about the text of a file that a synchronization has stored. */
export const SyncWarning = z.looseObject({
  /** Path inside the source, or URL. */
  path: z.string(),
  warning: z.string(),
});
/** Inferred from {@linkcode SyncWarning}. */
export type SyncWarning = z.infer<typeof SyncWarning>;

/** Result of a synchronization. Each file counts once. */
export const SyncReport = z.looseObject({
  started_at: Timestamp,
  /** Null while it runs. */
  finished_at: Timestamp.nullable(),
  created: z.int().nonnegative(),
  updated: z.int().nonnegative(),
  /** Files with the content of one that has disappeared; their documents keep their ids. */
  renamed: z.int().nonnegative(),
  deleted: z.int().nonnegative(),
  unchanged: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** At most {@linkcode MAX_SYNC_FAILURES}. */
  failures: z.array(SyncFailure),
  /** Of stored files and links without a target; at most {@linkcode MAX_SYNC_FAILURES}. Since contract 3.5. */
  warnings: z.array(SyncWarning).optional(),
  /** Number of files that are left out because of their types, by extension (`.ext`). Since contract 3.6. */
  other_types: z.record(z.string(), z.int().positive()).optional(),
  /** Reason why the synchronization ended early, such as a folder that is not there. */
  error: z.string().nullish(),
});
/** Inferred from {@linkcode SyncReport}. */
export type SyncReport = z.infer<typeof SyncReport>;

/** A folder at the top of a source. Files outside folders are in the section with the empty name. */
export const SourceSection = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  documents: z.int().nonnegative(),
});
/** Inferred from {@linkcode SourceSection}. */
export type SourceSection = z.infer<typeof SourceSection>;

/** A folder or website whose files the engine keeps in sync. */
export const Source = z.looseObject({
  source_id: Id,
  name: SourceName,
  /** `folder` or `web`. */
  type: z.string(),
  /** Absolute path or URL. */
  location: z.string(),
  description: z.string().nullish(),
  collection: z.string(),
  tags: z.array(z.string()),
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  /** Further pages of a website that is not crawled. */
  pages: z.array(z.string()).optional(),
  /** How a website is crawled; null for single pages and for folders. */
  crawl: z.looseObject({ max_pages: z.int(), prefix: z.string().optional() }).nullish(),
  version_label: z.string().nullish(),
  watch: z.boolean(),
  writable: z.boolean(),
  /** Whether the configuration (`KB_SOURCES`, `kb-mcp.toml`) defines it, which `DELETE` cannot change. */
  configured: z.boolean(),
  documents: z.int().nonnegative(),
  sections: z.array(SourceSection),
  /** `syncing`, `watching` or `idle`. */
  state: z.string(),
  /** The running or the last synchronization; null if there was none. */
  last_sync: SyncReport.nullable(),
  created_at: Timestamp,
});
/** Inferred from {@linkcode Source}. */
export type Source = z.infer<typeof Source>;

/** Response of `GET /api/v1/sources`, by name. */
export const SourceList = z.looseObject({ sources: z.array(Source) });
/** Inferred from {@linkcode SourceList}. */
export type SourceList = z.infer<typeof SourceList>;

/** Query of `DELETE /api/v1/sources/{id}`. */
export const RemoveSourceQuery = z.object({
  /** `true` keeps the documents, which no longer change with the folder. */
  keep_documents: z.stringbool().optional(),
});
/** Inferred from {@linkcode RemoveSourceQuery}. */
export type RemoveSourceQuery = z.infer<typeof RemoveSourceQuery>;

/** Response of `DELETE /api/v1/sources/{id}`. */
export const RemovedSource = z.looseObject({
  status: z.literal("removed"),
  source_id: Id,
  name: z.string(),
  /** Number of documents that were moved to the trash. */
  deleted: z.int().nonnegative(),
});
/** Inferred from {@linkcode RemovedSource}. */
export type RemovedSource = z.infer<typeof RemovedSource>;

/** Body of `POST /api/v1/sources/{id}/sync`. */
export const SyncRequest = z.object({
  /** Only this file. */
  path: RelativePath.optional(),
  /** Reads files again that have failed and have not changed since. */
  retry: z.boolean().default(false),
  /** Maximum time to wait for the end, in seconds. The synchronization continues after it. */
  wait_seconds: z.number().min(0).max(50).default(0),
});
/** Body of `POST /api/v1/sources/{id}/sync` before parsing. */
export type SyncRequest = z.input<typeof SyncRequest>;

/** Body of `POST /api/v1/sources/{id}/files`: a Markdown file to create in a writable source. */
export const NewSourceFile = z.object({
  title: Title,
  /** Markdown without front matter. */
  text: z.string().max(1_000_000),
  /** Folder inside the source. Default: its top. */
  folder: RelativePath.optional(),
  /** Tags for the front matter. */
  tags: Tags.default([]),
  /** More fields for the front matter. */
  metadata: z.record(z.string().min(1).max(100), z.unknown()).default({}),
});
/** Body of `POST /api/v1/sources/{id}/files` before parsing. */
export type NewSourceFile = z.input<typeof NewSourceFile>;

/** Response of `POST /api/v1/sources/{id}/files`. The file is durable and its document can be searched. */
export const WrittenFile = z.looseObject({
  /** Path inside the source: `2026-11-22-title.md`, with `-2` and so on if that exists. */
  path: z.string(),
  document: DocumentSummary,
});
/** Inferred from {@linkcode WrittenFile}. */
export type WrittenFile = z.infer<typeof WrittenFile>;
