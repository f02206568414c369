import { mapConcurrent } from "../async/mod.ts";
import { type EngineClient, ifFound } from "../client/mod.ts";
import { splitTags } from "../collections/mod.ts";
import { type Document, type DocumentSummary, MAX_PAGE, type Source } from "../contract/mod.ts";
import { joinChunks, type Progress } from "../tools/mod.ts";
import { type DocumentFacts, documentFacts, type Vault, type VaultDocument } from "../vault/mod.ts";
import type { SourceContext } from "./find_source.ts";

/** Maximum number of documents that are analyzed. */
const MAX_DOCUMENTS = 20_000;
/** Maximum number of chunks of a document that are analyzed: about a megabyte of text. */
const MAX_CHUNKS = 1_000;
/** Number of documents that are read at the same time. */
const CONCURRENCY = 8;
/** Maximum size of the facts in memory, in links, anchors and tags. */
const MAX_CACHED_FACTS = 500_000;
/** Minimum time between two reports of progress, in documents. */
const PROGRESS_STEP = 100;

/** The documents of a source. */
export interface ReadVault extends Vault {
  /** Names the documents that were left out, if any. */
  readonly note?: string;
}

/** The front matter and text of a document, that analyses use. */
interface CachedDocument {
  readonly version: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly facts: DocumentFacts;
  readonly size: number;
}

/** Facts by engine and document. A document is read again only if its version has changed. */
const caches = new WeakMap<EngineClient, Map<string, CachedDocument>>();

/**
 * Reads the documents of a source with the links of their texts. Reading does not count as use of the documents.
 *
 * @param report Receives the number of documents read.
 */
export async function readVault(
  source: Source,
  { engine, signal, report }: SourceContext & { readonly report?: (progress: Progress) => void },
): Promise<ReadVault> {
  const summaries = await listAll(source, { engine, signal });
  const cache = caches.get(engine) ?? new Map<string, CachedDocument>();
  caches.set(engine, cache);
  let size = 0;
  let withoutFacts = 0;
  const documents = await mapConcurrent(summaries, { limit: CONCURRENCY, signal }, async (summary, index) => {
    if (index % PROGRESS_STEP === 0) {
      report?.({ progress: index, total: summaries.length, message: "reading documents" });
    }
    if (summary.doc_type !== "markdown") return toVaultDocument(summary, source.name);
    const key = String(summary.document_id);
    const known = cache.get(key);
    const read = known?.version === summary.version ? known : await readDocument(summary, { engine, signal });
    if (!read) return undefined;
    cache.delete(key);
    size += read.size;
    // A document with more links than fit would displace the facts of many others.
    if (size > MAX_CACHED_FACTS) {
      withoutFacts++;
      return toVaultDocument(summary, source.name);
    }
    cache.set(key, read);
    return toVaultDocument(summary, source.name, read);
  });
  evict(cache);
  const failures = source.last_sync?.failures ?? [];
  const notes = [
    ...(summaries.length === MAX_DOCUMENTS ? [`Only the first ${MAX_DOCUMENTS} documents were read.`] : []),
    ...(withoutFacts > 0 ? [`${withoutFacts} documents were not checked: there are too many links.`] : []),
  ];
  return {
    documents: documents.filter((document) => document !== undefined),
    failures,
    ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
  };
}

/** Lists the documents of a source, in no particular order. */
export async function listAll(
  { name }: Pick<Source, "name">,
  { engine, signal }: SourceContext,
): Promise<DocumentSummary[]> {
  const listed: DocumentSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.queryDocuments(
      {
        source_path_prefix: `${name}/`,
        sort: "title",
        limit: MAX_PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    );
    // A note of an agent may have such a path, too.
    listed.push(...(page.documents ?? []).filter(({ source }) => source === name));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && listed.length < MAX_DOCUMENTS);
  return listed.slice(0, MAX_DOCUMENTS);
}

/** Returns the path of a document inside its source. */
export function pathInside({ source_path }: Pick<DocumentSummary, "source_path">, source: string): string {
  return (source_path ?? "").slice(source.length + 1);
}

/** Reads a document, unless it has been deleted meanwhile. */
async function readDocument(
  { document_id, version }: DocumentSummary,
  { engine, signal }: SourceContext,
): Promise<CachedDocument | undefined> {
  const document = await readText(document_id, version ?? undefined, { engine, signal });
  if (!document) return undefined;
  const metadata = document.metadata ?? {};
  const facts = documentFacts(joinChunks(document.chunks ?? []), metadata);
  const { links, anchors, inlineTags } = facts;
  const size = 1 + links.length + (anchors?.size ?? 0) + inlineTags.length;
  return { version: document.version ?? 0, metadata, facts, size };
}

async function readText(
  id: DocumentSummary["document_id"],
  version: number | undefined,
  { engine, signal }: SourceContext,
): Promise<Document | undefined> {
  // With a version, the engine does not count the document as used.
  const query = { offset: 0, limit: MAX_CHUNKS, ...(version === undefined ? {} : { version }) };
  return await ifFound(engine.document(id, query, { signal }));
}

function toVaultDocument(
  summary: DocumentSummary,
  source: string,
  read?: Pick<CachedDocument, "metadata" | "facts">,
): VaultDocument {
  const path = pathInside(summary, source);
  return {
    id: summary.document_id,
    path,
    title: summary.title || path,
    tags: splitTags(summary.tags).tags,
    metadata: read?.metadata ?? {},
    changedAt: summary.updated_at ?? summary.created_at ?? undefined,
    hasChanged: Boolean(summary.updated_at),
    contentHash: summary.content_hash ?? undefined,
    facts: read?.facts,
  };
}

/** Removes the least recently used facts above the limit. */
function evict(cache: Map<string, CachedDocument>): void {
  let size = cache.values().reduce((sum, each) => sum + each.size, 0);
  for (const [key, each] of cache) {
    if (size <= MAX_CACHED_FACTS) return;
    cache.delete(key);
    size -= each.size;
  }
}
