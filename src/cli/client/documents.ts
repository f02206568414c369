import { ifFound } from "../../client/mod.ts";
import { checkCallerTags, splitTags } from "../../collections/mod.ts";
import { ConfigError } from "../../config/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { moveDocument } from "../../tools/mod.ts";
import { ExitError } from "../exit_status.ts";
import { ACTOR, type ClientContext } from "./client_context.ts";
import { documentLabel, minute } from "./document_table.ts";
import { changeEach, parseId } from "./ids.ts";
import { list } from "./list.ts";

/** Implements `kb-mcp collection`: moves documents to a collection, or out of all. */
export async function setCollection(
  ids: readonly string[],
  target: string | null,
  context: ClientContext,
): Promise<number> {
  const { client, collections, signal } = context;
  if (target !== null) collections.check(target);
  const caller = { id: ACTOR, name: ACTOR, scope: "write" } as const;
  return await changeEach(ids, context, {
    change: async (id) => {
      const { document, tags } = await moveDocument(id, { target }, { engine: client, caller, signal });
      const { document_id, title } = document;
      return { document_id, title, ...splitTags(tags), previous: splitTags(document.tags).collection };
    },
    describe: ({ document_id, collection, previous }) =>
      collection === previous
        ? `Document ${document_id} is in ${oneLine(collection ?? "no collection")} already.`
        : `Moved document ${document_id} from ${oneLine(previous ?? "no collection")} to ${
          oneLine(collection ?? "no collection")
        }.`,
  });
}

/** Options of `kb-mcp tags`, as the parser returns them. */
export interface TagOptions {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** Implements `kb-mcp tags`: changes the tags of documents, or lists all tags. */
export async function changeTags(
  ids: readonly string[],
  { add = [], remove = [] }: TagOptions,
  context: ClientContext,
): Promise<number> {
  const isChange = add.length + remove.length > 0;
  if (ids.length === 0) {
    if (isChange) {
      throw new ConfigError("--add and --remove need the id of a document: kb-mcp tags ID --add TAG");
    }
    await list({ groupBy: "tag", all: true }, context);
    return 0;
  }
  const change = { add: checkCallerTags(add, "--add"), remove: checkCallerTags(remove, "--remove") };
  const { client, signal } = context;
  return await changeEach(ids, context, {
    change: async (id) => {
      const { document_id, tags } = isChange
        ? await client.changeTags(id, change, { actor: ACTOR, signal })
        : await client.document(id, { chunks: false }, { signal });
      return { document_id, ...splitTags(tags) };
    },
    describe: ({ document_id, tags }) =>
      `Document ${document_id}: ${tags.map((tag) => oneLine(tag)).join(", ") || "no tags"}`,
  });
}

/** Options of `kb-mcp delete`, as the parser returns them. */
export interface DeleteOptions {
  readonly permanent?: boolean;
  /** Whether to delete without asking. */
  readonly yes?: boolean;
  readonly ifVersion?: number;
}

/**
 * Implements `kb-mcp delete`: moves documents to the trash, or erases them.
 *
 * @throws {ConfigError} If nobody can confirm that documents are to be erased.
 * @throws {ExitError} If the user declines.
 */
export async function deleteDocuments(
  ids: readonly string[],
  { permanent = false, yes = false, ifVersion }: DeleteOptions,
  context: ClientContext,
): Promise<number> {
  const { client, confirm, signal } = context;
  const count = ids.length === 1 ? `document ${ids[0]}` : `${ids.length} documents`;
  if (permanent && !yes && !confirm) {
    throw new ConfigError("--permanent erases documents for good: confirm it with --yes");
  }
  const question = permanent ? `Erase ${count} for good?` : `Move ${count} to the trash?`;
  if (permanent) await client.requireVersion("--permanent", { signal });
  let isConfirmed = yes || !confirm;
  return await changeEach(ids, context, {
    change: async (id) => {
      if (!isConfirmed) {
        // There is nothing to confirm for a document that does not exist. One in the trash can be erased.
        await (permanent
          ? client.listRevisions(id, { limit: 1 }, { signal })
          : client.document(id, { chunks: false }, { signal }));
        if (!confirm?.(oneLine(question))) throw new ExitError(1, "Nothing was deleted");
        isConfirmed = true;
      }
      return await client.deleteDocument(id, { permanent, ifVersion, actor: ACTOR, signal });
    },
    describe: ({ document_id, title, restorable_until }) =>
      `Deleted document ${document_id}${title ? `: ${oneLine(title)}` : ""}` +
      (restorable_until
        ? ` (kb-mcp restore ${document_id} undoes this until ${minute(restorable_until)})`
        : ""),
  });
}

/** Implements `kb-mcp restore ID`: undoes the deletion or the last change of a document. */
export async function restoreDocument(
  id: string,
  { revision }: { readonly revision?: number },
  { client, output, signal }: ClientContext,
): Promise<void> {
  await client.requireVersion("restore", { signal });
  const request = revision === undefined ? {} : { version: revision };
  const documentId = parseId(id);
  // Undefined in the trash.
  const before = await ifFound(client.document(documentId, { chunks: false }, { signal }));
  const { chunks: _, ...document } = await client.restoreDocument(documentId, request, {
    actor: ACTOR,
    signal,
  });
  if (output.isJson) return output.json(document);
  if (before?.version != null && before.version === document.version) {
    return output.lines(
      `Document ${document.document_id} is as version ${document.restored_version} was already: ` +
        `kb-mcp history ${document.document_id} lists the others, for --revision`,
    );
  }
  output.lines(
    `Restored version ${document.restored_version} of document ${document.document_id}: ${
      documentLabel(document)
    }`,
  );
}
