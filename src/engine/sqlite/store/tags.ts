import type { DatabaseSync } from "node:sqlite";
import type { TagChange } from "../../../contract/mod.ts";
import { COLLECTION_PREFIX, isCollectionTag } from "../../../contract/rules/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { all, first, run, storable } from "./sql.ts";

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

/** Returns the name of a document's collection. */
export function collectionOf(db: DatabaseSync, documentId: number): string | undefined {
  const tag = tagsOf(db, documentId).find((name) => name.startsWith(COLLECTION_PREFIX));
  return tag?.slice(COLLECTION_PREFIX.length);
}

/** Tags that a change really removes and adds. */
export interface TagPlan {
  readonly remove: readonly string[];
  readonly add: readonly string[];
}

/**
 * Returns what a change of tags does to a document. A tag that is both removed and added stays.
 *
 * @param change Tags to remove, by name and by prefix, and tags to add. Unknown tags in `remove` are ignored.
 * @returns Undefined if the change does nothing.
 * @throws {KnowledgeBaseError} `invalid` when `add` names two collections, or the document would have more
 * than {@linkcode MAX_TAGS} tags.
 */
export function planTags(db: DatabaseSync, documentId: number, change: TagChange): TagPlan | undefined {
  return planFrom(tagsOf(db, documentId), change);
}

/** Returns what a change does to a document with some tags. */
function planFrom(
  tags: readonly string[],
  { remove, remove_prefix: prefix, add }: TagChange,
): TagPlan | undefined {
  const before = new Set(tags);
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
  return toRemove.length + toAdd.length > 0 ? { remove: toRemove, add: toAdd } : undefined;
}

/** Removes and adds the tags of a plan. */
export function applyTags(db: DatabaseSync, documentId: number, { remove, add }: TagPlan): void {
  for (const name of remove) {
    const id = tagId(db, name);
    run(db, "DELETE FROM document_tags WHERE document_id = ? AND tag_id = ?", documentId, id);
    const isUsed = first(db, "SELECT 1 FROM document_tags WHERE tag_id = ? LIMIT 1", id);
    if (!isUsed) run(db, "DELETE FROM tags WHERE id = ?", id);
  }
  for (const name of add) {
    run(db, "INSERT INTO document_tags (document_id, tag_id) VALUES (?, ?)", documentId, tagId(db, name));
  }
}

/** Whether a plan changes the collection of the document. */
export function changesCollection({ remove, add }: TagPlan): boolean {
  return [...remove, ...add].some((name) => name.startsWith(COLLECTION_PREFIX));
}

/** Returns the collection that a document leaves for another one. */
export function movedFrom({ remove, add }: TagPlan): string | undefined {
  if (!add.some((name) => name.startsWith(COLLECTION_PREFIX))) return undefined;
  return remove.find((name) => name.startsWith(COLLECTION_PREFIX))?.slice(COLLECTION_PREFIX.length);
}

/** Sets the tags of a document. */
export function setTags(db: DatabaseSync, documentId: number, tags: readonly string[]): void {
  const plan = planTags(db, documentId, { remove: tagsOf(db, documentId), add: [...tags] });
  if (plan) applyTags(db, documentId, plan);
}

/** Removes every tag of a document that is about to be deleted. */
export function removeTagsOf(db: DatabaseSync, documentId: number): void {
  setTags(db, documentId, []);
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
  const tags = [...requested, ...own].filter((tag) => !isCollectionTag(tag));
  return { collection, tags: collection === undefined ? tags : [collection, ...tags] };
}

/** Tags of an incoming document. */
export interface IncomingTags {
  /** Tags from the sender, at most one of them a collection. */
  readonly requested: readonly string[];
  /** Tags found in the document. */
  readonly own: readonly string[];
  /** Whether a document that is stored already stays in its collection. */
  readonly keepCollection?: boolean;
}

/** Returns what the tags of an incoming document add to a stored one. A requested collection replaces its own. */
export function planMerge(
  db: DatabaseSync,
  documentId: number,
  incoming: IncomingTags,
): TagPlan | undefined {
  return planMergeFrom(tagsOf(db, documentId), incoming);
}

function planMergeFrom(
  stored: readonly string[],
  { requested, own, keepCollection = false }: IncomingTags,
): TagPlan | undefined {
  const { collection, tags } = incomingTags(requested, own);
  const collections = stored.filter(isCollectionTag);
  const stays = collection === undefined || keepCollection && collections.length > 0;
  return planFrom(stored, {
    remove: stays ? [] : collections,
    add: stays ? tags.filter((tag) => tag !== collection) : tags,
  });
}

/** Whether a stored document is in the collection of an incoming one, which may leave the choice to it. */
export function isSameCollection(
  db: DatabaseSync,
  documentId: number,
  { requested, own, keepCollection = false }: IncomingTags,
): boolean {
  const { collection } = incomingTags(requested, own);
  return keepCollection || collection === undefined || tagsOf(db, documentId).includes(collection);
}

/** Sets the tags of a document that was just inserted, and has none. */
export function insertTags(db: DatabaseSync, documentId: number, tags: IncomingTags): void {
  const plan = planMergeFrom([], tags);
  if (plan) applyTags(db, documentId, plan);
}

/** Adds the tags of an incoming document to a stored one. */
export function mergeTags(db: DatabaseSync, documentId: number, tags: IncomingTags): void {
  const plan = planMerge(db, documentId, tags);
  if (plan) applyTags(db, documentId, plan);
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
