import { EngineError } from "../client/mod.ts";
import { oneLine, quoteText } from "../text/mod.ts";
import type { FilterArguments } from "./filter_arguments.ts";
import type { SendList } from "./list_page.ts";

/** Maximum number of tags whose other spellings are looked up. */
const MAX_TAGS = 5;
/** Number of documents that spellings are taken from. */
const SAMPLE = 20;

/**
 * Returns the tags that differ from those of a filter by case only: the documents with "Project" are not those with
 * "project", so that the caller would take a part for all. Looks up lower case, capitals and a capital letter at the
 * start by the index, since all tags may be hundreds of thousands.
 *
 * @param filters Filters by the caller. Without tags, nothing is requested.
 * @returns Undefined if there are none, and if the engine cannot tell: a hint must not fail the call.
 */
export async function tagCaseHint(
  { tags = [], tags_any = [] }: Pick<FilterArguments, "tags" | "tags_any">,
  send: SendList,
): Promise<string | undefined> {
  const given = new Set([...tags, ...tags_any]);
  const others = [...given].slice(0, MAX_TAGS).flatMap(spellings).filter((tag) => !given.has(tag));
  if (others.length === 0) return undefined;
  try {
    const { documents = [], note } = await send({ tags_any: [...new Set(others)], limit: SAMPLE });
    if (note !== undefined) return undefined;
    const found = new Set(documents.flatMap(({ tags = [] }) => tags).filter((tag) => others.includes(tag)));
    if (found.size === 0) return undefined;
    const named = [...found].map((tag) => quoteText(oneLine(tag, 60))).join(" and ");
    return `Tags are case-sensitive. Other documents have ${named}: the filter tags_any takes several spellings.`;
  } catch (error) {
    if (error instanceof EngineError && error.code !== "cancelled") return undefined;
    throw error;
  }
}

function spellings(tag: string): string[] {
  const lower = tag.toLowerCase();
  const capitalized = lower.replace(/^./u, (letter) => letter.toUpperCase());
  // Some letters have two capitals, and a tag has a maximum length.
  return [lower, tag.toUpperCase(), capitalized].filter(({ length }) => length === tag.length);
}
