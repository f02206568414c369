import type { DOCUMENT_GROUPS, DOCUMENT_SORTS, DocumentListRequest } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import {
  filterCollections,
  type ListPage,
  resultHint,
  type SendList,
  sendToAnyEngine,
  toEngineFilters,
} from "../../tools/mod.ts";
import type { ClientContext } from "./client_context.ts";
import { documentColumns } from "./document_table.ts";
import { type FilterOptions, selectDocuments } from "./filters.ts";
import { table } from "./table.ts";

/** Options of `kb-mcp list`, as the parser returns them. */
export interface ListOptions extends FilterOptions {
  readonly title?: string;
  readonly sort?: (typeof DOCUMENT_SORTS)[number];
  readonly order?: "asc" | "desc";
  readonly groupBy?: (typeof DOCUMENT_GROUPS)[number];
  readonly limit?: number;
  /** Whether to print all pages. */
  readonly all?: boolean;
}

/** Documents of a page with `--all`: the contract's maximum. */
const ALL_PAGE = 200;

/** Implements `kb-mcp list`: documents, or their numbers by key. */
export async function list(options: ListOptions, context: ClientContext): Promise<void> {
  const { client, output, signal, now } = context;
  const { filters, cursor, nextCursor } = selectDocuments(options, now());
  const collections = await filterCollections(filters.collection, { ...context, engine: client });
  const { title, sort, order, groupBy, limit, all = false } = options;
  const send = sendToAnyEngine({ engine: client, signal });
  const request: DocumentListRequest = {
    ...toEngineFilters(filters, collections),
    title,
    sort,
    order,
    group_by: groupBy,
    limit: limit ?? (all ? ALL_PAGE : undefined),
    cursor,
  };
  // Older engines cannot do these, and would list other documents.
  if (
    groupBy !== undefined || title !== undefined || (sort ?? "updated") !== "updated" || order !== undefined
  ) {
    await client.requireVersion("This list", { signal });
  }
  const first = await send(request);
  const page = all ? await remaining(first, request, send) : first;
  const next = page.next_cursor ? nextCursor(page.next_cursor) : undefined;
  const hint = await resultHint({ filters, title, cursor, isEmpty: page.total === 0 }, { collections, send });
  if (output.isJson) return output.json({ ...page, next_cursor: next ?? null, ...(hint ? { hint } : {}) });
  if (page.groups) output.lines(...groupLines(page.groups, context));
  else output.lines(...table(page.documents ?? [], documentColumns, output));
  const { dim } = output.colors;
  const shown = (page.groups ?? page.documents ?? []).length;
  if (shown === 0) output.lines(hint ?? "No documents.");
  else if (hint !== undefined) output.lines(dim(hint));
  if (next !== undefined) {
    const total = typeof page.total === "number" && !page.groups ? ` of ${page.total}` : "";
    output.lines(dim(`${shown}${total} shown. More: --all, or --cursor ${oneLine(next)}`));
  }
  if (page.note !== undefined) output.error(page.note);
}

/** Appends the further pages. */
async function remaining(
  first: ListPage,
  request: DocumentListRequest,
  send: SendList,
): Promise<ListPage> {
  const documents = [...first.documents ?? []];
  const groups = [...first.groups ?? []];
  for (let cursor = first.next_cursor; cursor;) {
    const page = await send({ ...request, cursor });
    documents.push(...page.documents ?? []);
    groups.push(...page.groups ?? []);
    cursor = page.next_cursor === cursor ? null : page.next_cursor;
  }
  return { ...first, ...(first.groups ? { groups } : { documents }), next_cursor: null };
}

function groupLines(groups: NonNullable<ListPage["groups"]>, { output }: ClientContext): string[] {
  return table(groups, [
    { head: "NAME", value: ({ key }) => key ?? "(none)", minWidth: 20 },
    { head: "DOCUMENTS", value: ({ count }) => count, align: "right" },
  ], output);
}
