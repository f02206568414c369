import type { DatabaseSync } from "node:sqlite";
import type { TagChange } from "../../../contract/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { all, first, run, storable } from "./sql.ts";

/** Prefix of the tag that puts a document into a collection. A document is in at most one (decision D2). */
export const COLLECTION_PREFIX = "collection:";

/**
 * Whether a tag names a collection, or could be mistaken for one. Ignores case and surrounding white space.
 */
function namesCollection(tag: string): boolean {
  return tag.trim().toLowerCase().startsWith(COLLECTION_PREFIX);
}

/** Maximum number of tags of a document. */
export const MAX_TAGS = 256;

/** Returns the tags of a document, sorted. */
export function tagsOf(db: DatabaseSync, documentId: number): string[] {
  return all<{ name: string }>(
    db,
    `SELECT t.name FROM document_tags dt JOIN tags t ON t.id = dt.tag_id
      WHERE dt.document_id = ? ORDER BY t.name`,
    documentId,
  ).map((row) => row.name);
}

/**
 * Removes tags from a document, then adds others. A tag that is both removed and added stays.
 *
 * @param change Tags to remove, by name and by prefix, and tags to add. Unknown tags in `remove` are ignored.
 * @returns Whether the document's tags have changed.
 * @throws {KnowledgeBaseError} `invalid` when `add` names two collections, or the document would have more
 * than {@linkcode MAX_TAGS} tags.
 */
export function changeTagsOf(
  db: DatabaseSync,
  documentId: number,
  { remove, remove_prefix: prefix, add }: TagChange,
): boolean {
  const before = new Set(tagsOf(db, documentId));
  const wanted = new Set(add.map(storable));
  const collections = [...wanted].filter((name) => name.startsWith(COLLECTION_PREFIX));
  if (collections.length > 1) {
    throw new KnowledgeBaseError(
      "invalid",
      `add must name at most one collection, got ${collections.slice(0, 3).join(", ")}`,
    );
  }
  const removed = new Set(remove.map(storable));
  const isRemoved = (name: string) =>
    removed.has(name) || prefix !== undefined && name.startsWith(storable(prefix));
  const toRemove = [...before].filter((name) => isRemoved(name) && !wanted.has(name));
  const toAdd = [...wanted].filter((name) => !before.has(name));
  const total = before.size - toRemove.length + toAdd.length;
  if (total > MAX_TAGS) {
    throw new KnowledgeBaseError("invalid", `A document must have at most ${MAX_TAGS} tags, got ${total}`);
  }
  for (const name of toRemove) {
    const id = tagId(db, name);
    run(db, "DELETE FROM document_tags WHERE document_id = ? AND tag_id = ?", documentId, id);
    const isUsed = first(db, "SELECT 1 FROM document_tags WHERE tag_id = ? LIMIT 1", id);
    if (!isUsed) run(db, "DELETE FROM tags WHERE id = ?", id);
  }
  for (const name of toAdd) {
    run(db, "INSERT INTO document_tags (document_id, tag_id) VALUES (?, ?)", documentId, tagId(db, name));
  }
  return toRemove.length + toAdd.length > 0;
}

/** Removes every tag of a document that is about to be deleted. */
export function removeTagsOf(db: DatabaseSync, documentId: number): void {
  changeTagsOf(db, documentId, { remove: tagsOf(db, documentId), add: [] });
}

/**
 * Returns the tags of an incoming document, collection first. Only the job can choose a collection: tags
 * found in a document are untrusted.
 */
export function incomingTags(
  requested: readonly string[],
  own: readonly string[],
): { collection: string | undefined; tags: string[] } {
  const collection = requested.find((tag) => tag.startsWith(COLLECTION_PREFIX));
  const tags = [...requested, ...own].filter((tag) => !namesCollection(tag));
  return { collection, tags: collection === undefined ? tags : [collection, ...tags] };
}

/**
 * Adds the tags of an incoming document to an existing one. A requested collection replaces the previous one.
 *
 * @returns Whether the tags have changed.
 */
export function mergeTags(
  db: DatabaseSync,
  documentId: number,
  requested: readonly string[],
  own: readonly string[],
): boolean {
  const { collection, tags } = incomingTags(requested, own);
  const remove = collection === undefined ? [] : tagsOf(db, documentId).filter(namesCollection);
  return changeTagsOf(db, documentId, { remove, add: tags });
}

/**
 * Returns the id of a tag, which is created if missing.
 *
 * Statements in this file change one row each: SQLite opens a savepoint for a statement that may change
 * several, and FTS5 flushes its pending rows at each savepoint.
 */
function tagId(db: DatabaseSync, name: string): number {
  return first<{ id: number }>(db, "SELECT id FROM tags WHERE name = ?", name)?.id ??
    run(db, "INSERT INTO tags (name) VALUES (?)", name).id;
}
