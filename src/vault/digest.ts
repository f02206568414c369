import { dayOf, daysBetween } from "./dates.ts";
import type { VaultDocument } from "./document.ts";
import { checkHealth, checkLinks, HEALTH_CHECKS, type HealthCheck, type Vault } from "./health.ts";
import { linkedName } from "./link_index.ts";
import { sectionOf } from "./paths.ts";

/** A section of a source, as a digest shows it. */
export interface SectionDigest {
  /** First folder of the paths; empty for files at the top. */
  readonly name: string;
  readonly documents: number;
  /** Its most frequent tags. */
  readonly topics: readonly string[];
  /** Day of the latest change. */
  readonly updated?: string;
}

/** A tag and the number of documents that have it. */
export interface Topic {
  readonly tag: string;
  readonly documents: number;
}

/** A document that has changed recently. */
export interface RecentDocument {
  readonly path: string;
  readonly title: string;
  readonly day: string;
}

/** Hints at missing or neglected knowledge. */
export interface Gaps {
  /** Pages that do not exist, with the number of links to them, most wanted first. */
  readonly missing_pages: readonly { readonly name: string; readonly links: number }[];
  /** Sections with fewer than {@linkcode MIN_SECTION_DOCUMENTS} documents. */
  readonly small_sections: readonly string[];
  /** Sections without a change for {@linkcode QUIET_DAYS} days. */
  readonly quiet_sections: readonly string[];
  /** Tags of a single document. */
  readonly tags_used_once: readonly string[];
  /** Number of findings of each check that has any. */
  readonly findings: Readonly<Partial<Record<HealthCheck, number>>>;
}

/** Summary of a source. Its lists are complete and sorted by importance. */
export interface Digest {
  readonly documents: number;
  readonly sections: readonly SectionDigest[];
  readonly topics: readonly Topic[];
  readonly recent: readonly RecentDocument[];
  readonly gaps: Gaps;
}

/** Number of documents below which a section is small. */
const MIN_SECTION_DOCUMENTS = 3;
/** Number of days after which a section is quiet. */
const QUIET_DAYS = 180;
/** Number of tags of a section that are shown. */
const SECTION_TOPICS = 3;

/** Summarizes a source: its sections, topics, recent changes and gaps. */
export function digestOf(vault: Vault, { today }: { readonly today: string }): Digest {
  const { documents } = vault;
  const sections = sectionsOf(documents);
  const topics = topicsOf(documents);
  return {
    documents: documents.length,
    sections,
    topics: topics.filter((topic) => topic.documents > 1),
    recent: recentOf(documents, today),
    gaps: {
      missing_pages: missingPages(vault),
      small_sections: sections.filter((section) =>
        section.name !== "" && section.documents < MIN_SECTION_DOCUMENTS
      )
        .map(({ name }) => name),
      quiet_sections: sections
        .filter(({ updated }) => updated !== undefined && daysBetween(updated, today) > QUIET_DAYS)
        .map(({ name }) => name),
      tags_used_once: topics.filter((topic) => topic.documents === 1).map(({ tag }) => tag),
      findings: countFindings(vault, today),
    },
  };
}

function sectionsOf(documents: readonly VaultDocument[]): SectionDigest[] {
  const bySection = Map.groupBy(documents, ({ path }) => sectionOf(path));
  return [...bySection].map(([name, members]) => {
    const updated = members.map(dayOf).filter((day) => day !== undefined).toSorted().at(-1);
    return {
      name,
      documents: members.length,
      topics: topicsOf(members).slice(0, SECTION_TOPICS).map(({ tag }) => tag),
      ...(updated === undefined ? {} : { updated }),
    };
  }).toSorted((a, b) => b.documents - a.documents || compare(a.name, b.name));
}

function topicsOf(documents: readonly VaultDocument[]): Topic[] {
  const counts = new Map<string, number>();
  for (const { tags, facts } of documents) {
    for (const tag of new Set([...tags, ...facts?.inlineTags ?? []])) {
      counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
  }
  return [...counts].map(([tag, documents]) => ({ tag, documents }))
    .toSorted((a, b) => b.documents - a.documents || compare(a.tag, b.tag));
}

function recentOf(documents: readonly VaultDocument[], today: string): RecentDocument[] {
  return documents.flatMap((document) => {
    const day = dayOf(document);
    // A date in the future is that of a plan.
    return day === undefined || day > today ? [] : [{ path: document.path, title: document.title, day }];
  }).toSorted((a, b) => compare(b.day, a.day) || compare(a.path, b.path));
}

function missingPages(vault: Vault): { name: string; links: number }[] {
  const pages = new Map<string, { name: string; links: number }>();
  for (const link of checkLinks(vault).missing) {
    const name = linkedName(link);
    const page = pages.get(name.toLowerCase());
    if (page) page.links++;
    else if (name !== "") pages.set(name.toLowerCase(), { name, links: 1 });
  }
  return [...pages.values()].toSorted((a, b) => b.links - a.links || compare(a.name, b.name));
}

function countFindings(vault: Vault, today: string): Partial<Record<HealthCheck, number>> {
  const report = checkHealth(vault, { today });
  const counts = HEALTH_CHECKS.map((check) => [check, report[check].length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
