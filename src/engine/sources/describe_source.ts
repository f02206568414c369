import type { Source, SyncReport } from "../../contract/mod.ts";
import type { SourceCounts, StoredSource } from "../knowledge_base/mod.ts";

/** State of a source in the running engine, which is not stored. */
export interface SourceActivity {
  readonly state: Source["state"];
  /** The report of the running synchronization, or of the last one. */
  readonly lastSync: SyncReport | null;
}

/** Returns a source as the contract describes it. */
export function describeSource(
  source: StoredSource,
  { documents, sections }: SourceCounts,
  { state, lastSync }: SourceActivity,
): Source {
  const { sections: descriptions, ...options } = source.options;
  return {
    source_id: source.id,
    name: source.name,
    type: source.type,
    location: source.location,
    ...options,
    description: options.description ?? null,
    crawl: options.crawl ?? null,
    version_label: options.version_label ?? null,
    configured: source.configured,
    documents,
    sections: describeSections(sections, descriptions),
    state,
    last_sync: lastSync,
    created_at: source.createdAt,
  };
}

/** Adds sections without documents that have a description. */
function describeSections(
  sections: readonly Source["sections"][number][],
  descriptions: Readonly<Record<string, string>>,
): Source["sections"] {
  const counts = new Map(sections.map(({ name, documents }) => [name, documents]));
  const names = [...new Set([...counts.keys(), ...Object.keys(descriptions)])].sort();
  return names.map((name) => ({
    name,
    description: descriptions[name] ?? null,
    documents: counts.get(name) ?? 0,
  }));
}
