import { type DuplicateGroup, duplicatesOf } from "./duplicates.ts";
import { dayOf, daysBetween } from "./dates.ts";
import type { VaultDocument } from "./document.ts";
import { LinkIndex } from "./link_index.ts";
import { linkText, type VaultLink } from "./links.ts";
import { isIndexPath } from "./paths.ts";

/** A file that could not be ingested. */
export interface FailedFile {
  readonly path: string;
  readonly code: string;
  readonly error: string;
}

/** The documents of a source, and its files without a document. */
export interface Vault {
  readonly documents: readonly VaultDocument[];
  readonly failures: readonly FailedFile[];
}

/** A finding about one file. */
export interface Finding {
  readonly path: string;
  /** The link, as it is written. */
  readonly link?: string;
  /** Reason, or the day of a document. */
  readonly detail?: string;
}

/** Findings of each check, by path. */
export interface HealthReport {
  /** Links to nothing, or to a place outside of the source. */
  readonly broken_links: readonly Finding[];
  /** Links to a heading or block that the document does not have. */
  readonly missing_headings: readonly Finding[];
  /** Markdown documents without a link from another document. Index pages are left out. */
  readonly orphans: readonly Finding[];
  /** Files without text, and Markdown documents of fewer than {@linkcode MIN_WORDS} words, except index pages. */
  readonly empty: readonly Finding[];
  /** Markdown documents without a tag in front matter or text. */
  readonly untagged: readonly Finding[];
  readonly duplicates: readonly DuplicateGroup[];
  /** Documents that have not changed for a number of days. */
  readonly stale: readonly Finding[];
  /** Files that could not be ingested, for another reason than that they are empty. */
  readonly failed: readonly Finding[];
}

/** Names of the checks, in the order of a report. */
export const HEALTH_CHECKS = [
  "broken_links",
  "missing_headings",
  "orphans",
  "empty",
  "untagged",
  "duplicates",
  "stale",
  "failed",
] as const satisfies readonly (keyof HealthReport)[];
/** A check of {@linkcode checkHealth}. */
export type HealthCheck = typeof HEALTH_CHECKS[number];

/** Number of words below which a document is a stub. */
export const MIN_WORDS = 10;
/** Default number of days after which a document is stale. */
export const DEFAULT_STALE_DAYS = 365;

/** Codes of jobs and synchronizations that failed because a file has no text. */
const EMPTY_CODES: ReadonlySet<string> = new Set(["no_text", "empty"]);

/** Options of {@linkcode checkHealth}. */
export interface HealthOptions {
  /** Current day, such as `2026-03-31`. */
  readonly today: string;
  /** Number of days without a change after which a document is stale. @default {365} */
  readonly staleDays?: number | undefined;
  /** Limits the findings to files whose path starts with this. Links are resolved in the whole source. */
  readonly prefix?: string | undefined;
}

/** Checks the documents of a source. */
export function checkHealth(
  { documents, failures }: Vault,
  { today, staleDays = DEFAULT_STALE_DAYS, prefix = "" }: HealthOptions,
): HealthReport {
  const links = checkLinks({ documents, failures });
  const inScope = ({ path }: { readonly path: string }) => path.startsWith(prefix);
  const checked = documents.filter(inScope).toSorted(byPath);
  const isEmptyFile = ({ code }: FailedFile) => EMPTY_CODES.has(code);
  const failed = failures.filter(inScope).toSorted(byPath);
  return {
    broken_links: links.broken.filter(inScope),
    missing_headings: links.missingHeadings.filter(inScope),
    orphans: checked
      .filter(({ path, facts }) => facts && !links.linkedPaths.has(path) && !isIndexPath(path))
      .map(({ path }) => ({ path })),
    empty: [
      ...failed.filter(isEmptyFile).map(({ path }) => ({ path, detail: "no text" })),
      ...checked.flatMap(({ path, facts }) =>
        facts && facts.words < MIN_WORDS && !isIndexPath(path)
          ? [{ path, detail: facts.words === 1 ? "1 word" : `${facts.words} words` }]
          : []
      ),
    ].toSorted(byPath),
    untagged: checked
      .filter(({ facts, tags }) => facts && tags.length === 0 && facts.inlineTags.length === 0)
      .map(({ path }) => ({ path })),
    duplicates: duplicatesOf(documents).filter(({ paths }) => paths.some((path) => path.startsWith(prefix))),
    stale: checked.flatMap((document) => {
      const day = dayOf(document);
      return day !== undefined && daysBetween(day, today) > staleDays
        ? [{ path: document.path, detail: day }]
        : [];
    }),
    failed: failed.filter((file) => !isEmptyFile(file)).map(({ path, error }) => ({ path, detail: error })),
  };
}

/** Links between documents. */
export interface LinkReport {
  readonly broken: readonly Finding[];
  readonly missingHeadings: readonly Finding[];
  /** Paths of the documents that another one links to. */
  readonly linkedPaths: ReadonlySet<string>;
  /** Links to nothing, for the pages that are missing. */
  readonly missing: readonly VaultLink[];
}

/** Resolves every link of the documents of a source. */
export function checkLinks({ documents, failures }: Vault): LinkReport {
  const index = new LinkIndex(documents, failures.map(({ path }) => path));
  const broken: Finding[] = [];
  const missingHeadings: Finding[] = [];
  const linkedPaths = new Set<string>();
  const missing: VaultLink[] = [];
  for (const document of documents.toSorted(byPath)) {
    for (const link of document.facts?.links ?? []) {
      const target = index.resolve(document.path, link);
      const finding = { path: document.path, link: linkText(link) };
      if (target.status === "document") {
        if (target.anchorMissing) missingHeadings.push(finding);
        if (target.document !== document) linkedPaths.add(target.document.path);
      } else if (target.status === "outside") broken.push({ ...finding, detail: "outside of the source" });
      else if (target.status === "missing") {
        broken.push(finding);
        missing.push(link);
      }
    }
  }
  return { broken, missingHeadings, linkedPaths, missing };
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
