import type { Document, DocumentTags, TagChange } from "../../contract/mod.ts";
import { EngineError } from "../errors.ts";

/** Maximum number of change requests. Each retry follows a race lost to another client. */
const MAX_TRIES = 8;

/** Result of a change request. An engine may omit the tags. */
type TagChangeResult = Pick<DocumentTags, "document_id" | "updated_at"> & { tags?: string[] | undefined };

/** Requests that make up a tag change. */
export interface TagRequests {
  readonly change: (change: Partial<TagChange>) => Promise<TagChangeResult>;
  readonly read: () => Promise<Pick<Document, "tags">>;
}

/**
 * Changes tags. An engine before contract 3.1 ignores `remove_prefix`, and with it the tag that a concurrent
 * client has just added. The client whose change comes last sees both tags, in the response or when it reads
 * the document, and removes the other one.
 *
 * @throws {EngineError} `busy` if other clients keep changing the tags.
 */
export async function changeTags(change: Partial<TagChange>, requests: TagRequests): Promise<DocumentTags> {
  const { remove_prefix, add = [] } = change;
  let remove = change.remove ?? [];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await requests.change({ remove, add, ...(remove_prefix ? { remove_prefix } : {}) });
    if (remove_prefix === undefined) return await withTags(result, requests);
    const leftOver = (tags: readonly string[]) =>
      tags.filter((tag) => tag.startsWith(remove_prefix) && !add.includes(tag));
    const isDone = (tags: readonly string[]) =>
      leftOver(tags).length === 0 && add.every((tag) => tags.includes(tag));
    if (result.tags && isDone(result.tags)) return { ...result, tags: result.tags };
    const { tags } = await requests.read();
    if (isDone(tags)) return { ...result, tags };
    remove = leftOver(tags);
  }
  throw new EngineError(
    "busy",
    "Other clients keep changing the tags of this document. Try again in a few seconds.",
  );
}

async function withTags(result: TagChangeResult, { read }: TagRequests): Promise<DocumentTags> {
  return { ...result, tags: result.tags ?? (await read()).tags };
}
