import { CollectionError, collectionTag } from "../collections/mod.ts";
import type { DocumentSummary } from "../contract/mod.ts";
import { type ReadContext, ResourceNotFoundError } from "./define.ts";
import { code, day, documentLink, inline } from "./markdown.ts";

/** Most documents in an inventory: about 5,000 tokens. */
const MAX_DOCUMENTS = 100;

/** What a collection holds, as a Markdown list, newest first. */
export async function readCollection(uri: string, name: string, context: ReadContext): Promise<string> {
  const { engine, signal } = context;
  const tag = collectionTag(known(uri, name, context));
  const page = await engine.documents({ tag, limit: MAX_DOCUMENTS }, { signal });
  // An engine from elsewhere may not filter. Then what it counted is not what is in the collection.
  const documents = page.documents.filter(({ tags }) => tags.includes(tag));
  const filtered = documents.length === page.documents.length;
  const total = filtered ? page.total ?? (page.next_cursor ? undefined : documents.length) : undefined;
  const shown = documents.slice(0, MAX_DOCUMENTS);
  const more = total === undefined || total > shown.length;
  return [
    `# Collection ${inline(name)}`,
    summary(total, shown.length, more),
    ...(shown.length > 0 ? [shown.map(item).join("\n")] : []),
    ...(more && shown.length > 0 ? [howToSeeMore(name)] : []),
  ].join("\n\n") + "\n";
}

function known(uri: string, name: string, { collections }: ReadContext): string {
  try {
    return collections.check(name);
  } catch (error) {
    if (error instanceof CollectionError) throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}

function summary(total: number | undefined, shown: number, more: boolean): string {
  if (total === undefined) {
    return `The ${shown} newest documents; the engine does not say how many there are.`;
  }
  if (total === 0) return "No documents yet. kb_addnote and kb_upload_start add some.";
  const count = `${total} document${total === 1 ? "" : "s"}`;
  return more ? `${count}; these are the ${shown} newest.` : `${count}, newest first.`;
}

function item(document: DocumentSummary): string {
  const { doc_type, updated_at, created_at, source_path } = document;
  const date = updated_at ?? created_at;
  const details = [
    inline(doc_type),
    ...(date ? [day(date)] : []),
    ...(source_path ? [code(source_path)] : []),
  ];
  return `- ${documentLink(document)} — ${details.join(", ")}`;
}

function howToSeeMore(name: string): string {
  return `The others: kb_search with collection ${
    JSON.stringify(name)
  } and words of what you look for (since and ` +
    `until narrow it to dates); kb_get with source_path, when that is known.`;
}
