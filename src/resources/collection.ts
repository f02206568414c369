import { CollectionError, collectionTag } from "../collections/mod.ts";
import type { DocumentSummary } from "../contract/mod.ts";
import { filterCollections } from "../tools/mod.ts";
import { type ReadContext, ResourceNotFoundError } from "./define.ts";
import { code, day, documentLink, inline } from "./markdown.ts";

/** Maximum number of documents in a list: about 5,000 tokens. */
const MAX_DOCUMENTS = 100;

/** Returns the documents of a collection as a Markdown list, newest first. */
export async function readCollection(uri: string, name: string, context: ReadContext): Promise<string> {
  const { engine, signal } = context;
  const tag = collectionTag(await checkName(uri, name, context));
  const page = await engine.documents({ tag, limit: MAX_DOCUMENTS }, { signal });
  // A third-party engine may ignore the tag. Then its total is not the one of the collection.
  const documents = page.documents.filter(({ tags }) => tags.includes(tag));
  const isFiltered = documents.length === page.documents.length;
  const total = isFiltered ? page.total ?? (page.next_cursor ? undefined : documents.length) : undefined;
  const shown = documents.slice(0, MAX_DOCUMENTS);
  const hasMore = total === undefined || total > shown.length;
  return [
    `# Collection ${inline(name)}`,
    summary(total, shown.length, hasMore),
    ...(shown.length > 0 ? [shown.map(item).join("\n")] : []),
    ...(hasMore && shown.length > 0 ? [howToSeeMore(name)] : []),
  ].join("\n\n") + "\n";
}

async function checkName(uri: string, name: string, context: ReadContext): Promise<string> {
  const collections = await filterCollections(name, context);
  try {
    return collections.check(name);
  } catch (error) {
    if (error instanceof CollectionError) throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}

function summary(total: number | undefined, shown: number, hasMore: boolean): string {
  if (total === undefined) {
    return `The ${shown} newest documents; the engine does not report their total number.`;
  }
  if (total === 0) return "No documents yet. Add some with kb_addnote or kb_upload_start.";
  const count = `${total} document${total === 1 ? "" : "s"}`;
  return hasMore ? `${count}; these are the ${shown} newest.` : `${count}, newest first.`;
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
  return `To find the others, use kb_search with collection ${
    JSON.stringify(name)
  } (since and until restrict the ` +
    `dates), kb_list, or kb_get with a known source_path.`;
}
