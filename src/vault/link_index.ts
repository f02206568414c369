import { hasAnchor } from "./anchors.ts";
import type { VaultDocument } from "./document.ts";
import type { VaultLink } from "./links.ts";
import { fileName, folderOf, isAttachmentPath, resolvePath, withoutExtension } from "./paths.ts";

/**
 * Target of a link.
 *
 * - `document`: a document of the source; `anchorMissing` if it has no such heading or block
 * - `unchecked`: a folder, a file that is no document, or a document that could not be ingested
 * - `outside`: a path that leaves the source
 * - `missing`: nothing has this path or name
 */
export type LinkTarget =
  | { readonly status: "document"; readonly document: VaultDocument; readonly anchorMissing: boolean }
  | { readonly status: "unchecked" | "outside" | "missing" };

/** Pages that a link to a folder shows. */
const INDEX_FILES = ["index", "readme", "_index"];
/** Extensions that renderers add or replace: a link to `a.html` of a built site is a link to `a.md`. */
const RENDERED = /\.html?$/i;
/** Maximum number of segments by which a name can match the end of a path. */
const MAX_END_SEGMENTS = 8;

/**
 * Resolves links between the documents of one source, as Obsidian and renderers of Markdown do: without regard to
 * case and Unicode composition, with or without extension. `[[names]]` also match the end of a path, a file name in
 * any folder, or an alias.
 *
 * @example
 * ```ts
 * import { LinkIndex } from "./link_index.ts";
 * import { assertEquals } from "@std/assert";
 * const note = { title: "", tags: [], metadata: {}, changedAt: undefined, hasChanged: false };
 * const plan = { ...note, id: 1, path: "work/Plan.md", contentHash: undefined, facts: undefined };
 * const index = new LinkIndex([plan]);
 * assertEquals(index.resolve("daily/2026-03-31.md", { kind: "wiki", target: "plan", anchor: "" }), {
 *   status: "document",
 *   document: plan,
 *   anchorMissing: false,
 * });
 * ```
 */
export class LinkIndex {
  readonly #byPath = new Map<string, VaultDocument>();
  /** By path without extension. */
  readonly #byStem = new Map<string, VaultDocument>();
  /** By the path without extension and by each of its ends: `a/b/c` is found as `c`, `b/c` and `a/b/c`. */
  readonly #byEnd = new Map<string, VaultDocument>();
  readonly #byAlias = new Map<string, VaultDocument>();
  readonly #folders = new Set<string>([""]);
  readonly #otherFiles: ReadonlySet<string>;

  /**
   * Indexes documents.
   *
   * @param documents Documents of one source.
   * @param otherFiles Paths of files that are no documents, such as those that could not be read.
   */
  constructor(documents: readonly VaultDocument[], otherFiles: Iterable<string> = []) {
    this.#otherFiles = new Set([...otherFiles].map(keyOf));
    // The shortest path wins a name, then the first one in order.
    const sorted = documents.toSorted((a, b) =>
      depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
    );
    for (const document of sorted) {
      const path = keyOf(document.path);
      const stem = withoutExtension(path);
      addFirst(this.#byPath, path, document);
      addFirst(this.#byStem, stem, document);
      for (let slash = stem.length, n = 0; slash >= 0 && n < MAX_END_SEGMENTS; n++) {
        slash = slash === 0 ? -1 : stem.lastIndexOf("/", slash - 1);
        addFirst(this.#byEnd, stem.slice(slash + 1), document);
      }
      for (const alias of aliasesOf(document)) addFirst(this.#byAlias, keyOf(alias), document);
      for (let folder = folderOf(path); !this.#folders.has(folder); folder = folderOf(folder)) {
        this.#folders.add(folder);
      }
    }
  }

  /**
   * Returns the target of a link.
   *
   * @param from Path of the document that has the link.
   */
  resolve(from: string, link: VaultLink): LinkTarget {
    if (link.target === "") return this.#toDocument(this.#byPath.get(keyOf(from)), link.anchor);
    const path = resolvePath(folderOf(from), link.target);
    if (path === undefined) return { status: "outside" };
    const key = keyOf(path);
    const found = link.kind === "markdown" ? this.#atPath(key) : this.#named(keyOf(link.target), key);
    if (found) return this.#toDocument(found, link.anchor);
    const exists = this.#otherFiles.has(key) || (link.kind === "markdown" && this.#folders.has(key));
    if (exists || isAttachmentPath(link.target)) return { status: "unchecked" };
    return { status: "missing" };
  }

  #toDocument(document: VaultDocument | undefined, anchor: string): LinkTarget {
    if (!document) return { status: "unchecked" };
    const anchors = document.facts?.anchors;
    return {
      status: "document",
      document,
      anchorMissing: anchor !== "" && anchors !== undefined && !hasAnchor(anchors, anchor),
    };
  }

  #atPath(key: string): VaultDocument | undefined {
    const exact = this.#byPath.get(key) ?? this.#byStem.get(key) ??
      this.#byStem.get(key.replace(RENDERED, ""));
    if (exact) return exact;
    for (const name of INDEX_FILES) {
      const index = this.#byStem.get(key === "" ? name : `${key}/${name}`);
      if (index) return index;
    }
    return undefined;
  }

  /** @param relative The name as a path from the folder of the document. */
  #named(name: string, relative: string): VaultDocument | undefined {
    const path = name.replace(/^\/+/, "");
    return this.#byPath.get(path) ?? this.#byStem.get(path) ?? this.#byPath.get(relative) ??
      this.#byStem.get(relative) ?? this.#byAlias.get(name) ?? this.#byEnd.get(path) ??
      this.#byEnd.get(withoutExtension(path));
  }
}

/** Returns the aliases of a document: Obsidian's `aliases`, a list or a text, or `alias`. */
function aliasesOf({ metadata }: VaultDocument): string[] {
  return [metadata["aliases"], metadata["alias"]].flat().filter((alias) => typeof alias === "string");
}

function keyOf(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function addFirst<T>(map: Map<string, T>, key: string, value: T): void {
  if (!map.has(key)) map.set(key, value);
}

/** Returns the name of the page that a missing link is to: `Roadmap` of `[[plans/Roadmap]]` and `../roadmap.md`. */
export function linkedName({ target }: VaultLink): string {
  return withoutExtension(fileName(target));
}
