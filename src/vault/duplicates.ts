import type { VaultDocument } from "./document.ts";
import { isIndexPath } from "./paths.ts";

/** Documents that are probably the same. */
export interface DuplicateGroup {
  readonly paths: readonly string[];
  /** `content`: equal files; `title`: the same title except for case, accents, punctuation and a date. */
  readonly by: "content" | "title";
}

/** Minimum length of a title that is compared, in letters and digits: short ones are reused. */
const MIN_TITLE_CHARS = 6;

/** Returns the documents with equal files, then those with nearly equal titles. */
export function duplicatesOf(documents: readonly VaultDocument[]): DuplicateGroup[] {
  const byContent = groups(documents, ({ contentHash }) => contentHash);
  const known = new Set(byContent.map((paths) => paths.join("\n")));
  const byTitle = groups(documents, (document) => isIndexPath(document.path) ? undefined : titleKey(document))
    .filter((paths) => !known.has(paths.join("\n")));
  return [
    ...byContent.map((paths) => ({ paths, by: "content" as const })),
    ...byTitle.map((paths) => ({ paths, by: "title" as const })),
  ];
}

/** Returns the letters and digits of a title, without accents and without a date: daily notes are no duplicates. */
function titleKey({ title }: VaultDocument): string | undefined {
  const key = title.normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const isDate = /^\d*$/.test(key);
  return isDate || key.length < MIN_TITLE_CHARS ? undefined : key;
}

function groups(
  documents: readonly VaultDocument[],
  keyOf: (document: VaultDocument) => string | undefined,
): string[][] {
  const pathsByKey = new Map<string, string[]>();
  for (const document of documents) {
    const key = keyOf(document);
    if (key === undefined) continue;
    const paths = pathsByKey.get(key);
    if (paths) paths.push(document.path);
    else pathsByKey.set(key, [document.path]);
  }
  return [...pathsByKey.values()].filter(({ length }) => length > 1).map((paths) => paths.toSorted())
    .toSorted(([a = ""], [b = ""]) => a < b ? -1 : 1);
}
