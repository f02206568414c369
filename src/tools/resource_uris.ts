import type { Id } from "../contract/mod.ts";

/** Scheme of everything that `resources/read` answers. */
export const SCHEME = "kb://";

/** URI of a document: `kb://documents/{id}`. */
export function documentUri(id: Id): string {
  return `${SCHEME}documents/${encodeURIComponent(id)}`;
}

/** URI of one chunk of a document: `kb://documents/{id}/chunks/{n}`, counted from 0. */
export function chunkUri(id: Id, index: number): string {
  return `${documentUri(id)}/chunks/${index}`;
}

/** URI of a collection's inventory: `kb://collections/{name}`. */
export function collectionUri(name: string): string {
  return `${SCHEME}collections/${encodeURIComponent(name)}`;
}
