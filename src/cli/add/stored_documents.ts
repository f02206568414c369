import { splitTags } from "../../collections/mod.ts";
import { type EngineClient, EngineError } from "../../client/mod.ts";
import { type DocumentSummary, MAX_PAGE } from "../../contract/mod.ts";
import { hashFile } from "../../folder/mod.ts";
import type { PlannedFile } from "./plan.ts";

/** Collection and tags for a file. */
export interface StoredTarget {
  /** Collection; undefined: any. */
  readonly collection: string | undefined;
  readonly tags: readonly string[];
}

/** A file in comparison with the documents. */
export type FileState = "new" | "changed" | "occupied" | "unchanged";

/** The documents that are stored at the paths of files, to skip unchanged files. */
export class StoredDocuments {
  readonly #byPath: ReadonlyMap<string, DocumentSummary>;
  /** Documents by the hash of their content. */
  readonly #byHash: ReadonlyMap<string, DocumentSummary>;
  readonly #sizes: ReadonlySet<number>;

  private constructor(documents: readonly DocumentSummary[]) {
    this.#byPath = new Map(documents.map((document) => [document.source_path ?? "", document]));
    this.#byHash = new Map(documents.map((document) => [document.content_hash ?? "", document]));
    this.#sizes = new Set(documents.flatMap(({ size_bytes }) => size_bytes ?? []));
  }

  /**
   * Lists the documents below some paths.
   *
   * @param options.prefixes Starts of paths.
   * @param options.paths All paths, for an engine that cannot list by prefix.
   */
  static async load(
    client: EngineClient,
    { prefixes, paths, signal }: {
      readonly prefixes: readonly string[];
      readonly paths: readonly string[];
      readonly signal: AbortSignal;
    },
  ): Promise<StoredDocuments> {
    try {
      await client.requireVersion("add", { signal });
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "engine_too_old") throw error;
      return new StoredDocuments(await listByPath(client, paths, signal));
    }
    const documents: DocumentSummary[] = [];
    for (const prefix of new Set(prefixes)) {
      const filter = prefix === "" ? {} : { source_path_prefix: prefix };
      let cursor: string | null | undefined;
      do {
        const request = {
          ...filter,
          sort: "created",
          order: "asc",
          limit: MAX_PAGE,
          ...(cursor && { cursor }),
        } as const;
        const page = await client.queryDocuments(request, { signal });
        documents.push(...page.documents ?? []);
        cursor = page.next_cursor;
      } while (cursor);
    }
    return new StoredDocuments(documents);
  }

  /**
   * Compares a file with the documents. Reads the file only if one has its size.
   *
   * @returns `unchanged` if its content is stored with the collection and tags, `changed` if a file was stored at its
   * path, `occupied` if a note has its path, or `new`.
   * @throws {FolderError} If the file cannot be read.
   */
  async compare(
    { root, path, size, sourcePath }: PlannedFile,
    target: StoredTarget,
  ): Promise<FileState> {
    const atPath = this.#byPath.get(sourcePath);
    if (this.#sizes.has(size)) {
      const hash = await hashFile(root, path);
      const same = atPath?.content_hash === hash ? atPath : this.#byHash.get(hash);
      if (same && (!atPath || same === atPath) && has(same, target)) return "unchanged";
    }
    if (!atPath) return "new";
    return atPath.doc_type === "note" ? "occupied" : "changed";
  }
}

/** Looks up each path. An engine before contract 3.3 has no other way. */
async function listByPath(
  client: EngineClient,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<DocumentSummary[]> {
  const documents: DocumentSummary[] = [];
  for (const source_path of paths) {
    const page = await client.documents({ source_path, limit: 1 }, { signal });
    documents.push(...page.documents.filter((document) => document.source_path === source_path));
  }
  return documents;
}

function has({ tags }: DocumentSummary, target: StoredTarget): boolean {
  return (target.collection === undefined || splitTags(tags).collection === target.collection) &&
    target.tags.every((tag) => tags.includes(tag));
}
