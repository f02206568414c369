import { EngineError } from "../client/mod.ts";
import { formatOfExtension } from "../contract/rules/mod.ts";
import { quoteText } from "../text/mod.ts";
import type { RequestedFilters } from "./filter_arguments.ts";
import type { SendList } from "./list_page.ts";

/** Maximum number of documents to name. */
const MAX_NAMED = 3;
/** Number of documents with the words of a name among which to look for the whole name. */
const CANDIDATES = 50;

/** A word that may be a file name: its last segment and extension. */
const FILE_NAME =
  /(?:^|[\s"'(/\\])([^\s"'(),;:?!/\\]{1,100}\.([a-z0-9]{1,8}))(?=$|[\s"'),;:?!]|\.(?:\s|$))/gi;

/**
 * Returns the documents that have a file name of a query, if no first result is of them: searches know titles and texts,
 * not paths.
 *
 * @param shown Ids of the documents of the first results.
 * @param filters The filters of the search.
 * @returns Undefined without a file name in the query, and if no document has it.
 */
export async function fileNameHint(
  query: string,
  shown: readonly string[],
  { filters, send }: { readonly filters: () => RequestedFilters; readonly send: SendList },
): Promise<string | undefined> {
  const name = fileNameIn(query);
  if (name === undefined) return undefined;
  const hasName = ({ source_path }: { readonly source_path?: string | null | undefined }) =>
    source_path?.slice(source_path.lastIndexOf("/") + 1).toLowerCase() === name.toLowerCase();
  try {
    const { documents = [] } = await send({ ...filters(), title: name, limit: CANDIDATES });
    const named = documents.filter(hasName);
    const isShown = named.some(({ document_id }) => shown.includes(String(document_id)));
    if (named.length === 0 || isShown) return undefined;
    const ids = named.slice(0, MAX_NAMED).map(({ document_id, source_path }) =>
      `${document_id} (${quoteText(source_path ?? "")})`
    );
    const others = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : "";
    return `The file name ${quoteText(name)} is that of document ${ids.join(", ")}${others}.`;
  } catch (error) {
    // Only a hint, and older engines do not look for titles.
    if (error instanceof EngineError && error.code !== "cancelled") return undefined;
    throw error;
  }
}

/** Returns the first word that ends in the extension of a format. */
function fileNameIn(query: string): string | undefined {
  for (const [, name, extension = ""] of query.matchAll(FILE_NAME)) {
    if (formatOfExtension(extension.toLowerCase()) !== undefined) return name;
  }
  return undefined;
}
