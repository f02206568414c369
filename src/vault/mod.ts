/**
 * Analysis of the Markdown documents of a source: links, health, digest, summary. Pure: callers read the documents.
 *
 * @module
 */
export {
  type Digest,
  digestOf,
  type Gaps,
  type RecentDocument,
  type SectionDigest,
  type Topic,
} from "./digest.ts";
export { dayOf } from "./dates.ts";
export { type DocumentFacts, documentFacts, type VaultDocument } from "./document.ts";
export type { DuplicateGroup } from "./duplicates.ts";
export {
  checkHealth,
  DEFAULT_STALE_DAYS,
  type FailedFile,
  type Finding,
  HEALTH_CHECKS,
  type HealthCheck,
  type HealthOptions,
  type HealthReport,
  MIN_WORDS,
  type Vault,
} from "./health.ts";
export { LinkIndex, type LinkTarget } from "./link_index.ts";
export { linksOf, linkText, MAX_LINKS, type VaultLink } from "./links.ts";
export { sectionOf } from "./paths.ts";
export { summaryOf } from "./summary.ts";
