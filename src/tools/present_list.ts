import { splitTags } from "../collections/mod.ts";
import type { DocumentListRequest, DocumentSummary, Id } from "../contract/mod.ts";
import { withVisibleText } from "../presentation/mod.ts";
import { estimateTokens, oneLine } from "../text/mod.ts";

/** A document in a list: the fields that tell it from others. */
export type ListedDocument = {
  readonly document_id: Id;
  readonly title?: string;
  /** Omitted for a note. */
  readonly doc_type?: string;
  /** Omitted if the list is of one collection. */
  readonly collection?: string;
  readonly tags?: readonly string[];
  readonly source_path?: string;
  /** Day of the last change. */
  readonly updated_at?: string;
  /** Day of the creation, if the document has not been changed since. */
  readonly created_at?: string;
  readonly size_bytes?: number;
  /** Doubts about the text. */
  readonly warning?: string;
};

/** How much of each document a list shows. */
interface Detail {
  readonly titleChars: number;
  readonly tags: number;
  readonly path: boolean;
  /** `changes`: only on the first document of each day. */
  readonly days: "all" | "changes" | "none";
}

/** From the most to the least detail. The first one that fits the budget is used. */
const DETAILS: readonly Detail[] = [
  { titleChars: 80, tags: Infinity, path: true, days: "all" },
  { titleChars: 80, tags: Infinity, path: true, days: "changes" },
  { titleChars: 80, tags: Infinity, path: false, days: "changes" },
  { titleChars: 60, tags: Infinity, path: false, days: "changes" },
  { titleChars: 60, tags: 4, path: false, days: "none" },
  { titleChars: 48, tags: 2, path: false, days: "none" },
  { titleChars: 40, tags: 0, path: false, days: "none" },
  // For scripts with a token for each character.
  { titleChars: 16, tags: 0, path: false, days: "none" },
];

/**
 * Maximum estimate of tokens for up to {@linkcode BUDGETED_DOCUMENTS} documents; longer lists have more. For such lists
 * the estimate is 10 to 50 % too high (`o200k_base`).
 */
const BUDGET = 2_600;
const BUDGETED_DOCUMENTS = 100;

/** What a list shows in each of its documents only if it differs, and the size of the list. */
export interface ListContext extends Pick<DocumentListRequest, "tags" | "sort"> {
  /** Maximum estimate of tokens, if it is less than the default. */
  readonly maxTokens?: number | undefined;
}

/** Maximum length of a warning, in UTF-16 code units. */
const MAX_WARNING_CHARS = 120;
/** Tokens of a document with the least detail. */
const MIN_DOCUMENT_TOKENS = 25;
/** Tokens of the fields of an output besides the documents: `now`, `next_cursor` and `note`. */
const LIST_FIELD_TOKENS = 120;

/** Returns the budget for the documents of an output of at most `maxTokens`, and how many fit. At least one does. */
export function listBudget(maxTokens: number): { maxTokens: number; limit: number } {
  const budget = Math.max(MIN_DOCUMENT_TOKENS, maxTokens - LIST_FIELD_TOKENS);
  return { maxTokens: budget, limit: Math.floor(budget / MIN_DOCUMENT_TOKENS) };
}

/**
 * Presents a page of documents in at most 2,400 tokens per 100. Lists are read to choose documents, whose details
 * `kb_get` returns.
 *
 * @returns `shortened` says which details a long list leaves out.
 */
export function presentList(
  documents: readonly DocumentSummary[],
  context: ListContext,
): { documents: ListedDocument[]; shortened?: string } {
  const maxTokens = context.maxTokens ?? Infinity;
  const budget = Math.min(maxTokens, BUDGET * Math.max(1, documents.length / BUDGETED_DOCUMENTS));
  const visible = documents.map((document) => withVisibleText(document));
  for (const [level, detail] of DETAILS.entries()) {
    const shown = presentWith(visible, context, detail);
    const isLast = level === DETAILS.length - 1;
    if (!isLast && estimateTokens(JSON.stringify(shown)) > budget) continue;
    return { documents: shown, ...(level === 0 ? {} : { shortened: describe(detail) }) };
  }
  return { documents: [] };
}

function describe({ days, titleChars, tags, path }: Detail): string {
  const cuts = [
    ...(path ? [] : ["no paths"]),
    ...(tags === Infinity ? [] : [tags === 0 ? "no tags" : `at most ${tags} tags`]),
    ...(titleChars === 80 ? [] : [`titles cut at ${titleChars} characters`]),
    days === "none" ? "no dates" : "each date also holds for the documents after it",
  ];
  return `Long list: ${cuts.join(", ")}. A smaller limit shows more.`;
}

function presentWith(
  documents: readonly DocumentSummary[],
  { tags: filtered = [], sort }: ListContext,
  detail: Detail,
): ListedDocument[] {
  const ofCollection = splitTags(filtered).collection;
  let lastDay: string | undefined;
  return documents.map((document) => {
    const { document_id, title, doc_type, source_path, created_at, updated_at, size_bytes, warning } =
      document;
    const { collection, tags } = splitTags(document.tags);
    const isUpdated = Boolean(updated_at) && sort !== "created";
    const day = (isUpdated ? updated_at : created_at)?.slice(0, 10);
    const hasDay = day !== undefined &&
      (detail.days === "all" || detail.days === "changes" && day !== lastDay);
    lastDay = day;
    const shownTags = tags.filter((tag) => !filtered.includes(tag)).slice(0, detail.tags);
    return {
      document_id,
      ...(title ? { title: oneLine(title, detail.titleChars) } : {}),
      ...(doc_type === "note" ? {} : { doc_type }),
      ...(collection === null || collection === ofCollection ? {} : { collection }),
      ...(shownTags.length > 0 ? { tags: shownTags } : {}),
      ...(source_path && detail.path ? { source_path } : {}),
      ...(hasDay ? { [isUpdated ? "updated_at" : "created_at"]: day } : {}),
      ...(warning && detail.path ? { warning: oneLine(warning, MAX_WARNING_CHARS) } : {}),
      ...(sort === "size" && typeof size_bytes === "number" ? { size_bytes } : {}),
    };
  });
}
