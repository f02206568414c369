import type { Id } from "../contract/mod.ts";

/** URI scheme of all resources. */
export const SCHEME = "kb://";

/** Returns the URI of a document: `kb://documents/{id}`. */
export function documentUri(id: Id): string {
  return `${SCHEME}documents/${encodeURIComponent(id)}`;
}

/** Returns the URI of a chunk: `kb://documents/{id}/chunks/{n}`, counted from 0. */
export function chunkUri(id: Id, index: number): string {
  return `${documentUri(id)}/chunks/${index}`;
}

/** Returns the URI of a collection's list of documents: `kb://collections/{name}`. */
export function collectionUri(name: string): string {
  return `${SCHEME}collections/${encodeURIComponent(name)}`;
}
