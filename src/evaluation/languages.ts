import { meanScores, type Scores } from "./metrics.ts";
import type { JudgedQuery } from "./test_collection.ts";

/** Group of the queries whose relevant documents are in another language. */
const CROSS_LANGUAGE = "cross-language";

/** Scores of a query, with its group. */
export interface GroupedScores {
  readonly language: string | undefined;
  readonly scores: Scores;
}

/** Scores of the queries in one language. */
export interface LanguageResult {
  /** Language tag, or `cross-language`. */
  readonly language: string;
  readonly queries: number;
  /** Means over the queries. */
  readonly scores: Scores;
}

/**
 * Returns the group of a query in a report by language: its language, else that of its relevant documents;
 * `cross-language` when both are known and differ.
 *
 * @param languages Languages of the documents by id.
 */
export function languageOf(
  { language, judgements }: JudgedQuery,
  languages: ReadonlyMap<string, string>,
): string | undefined {
  const relevant = [...judgements].flatMap(([id, relevance]) => {
    const each = relevance > 0 ? languages.get(id) : undefined;
    return each === undefined ? [] : [each];
  });
  const [first] = relevant;
  if (language === undefined || first === undefined) return language ?? first;
  return relevant.includes(language) ? language : CROSS_LANGUAGE;
}

/** Groups results by language, languages with many queries first. Empty when no query has a language. */
export function scoresByLanguage(results: readonly GroupedScores[]): LanguageResult[] {
  const groups = Map.groupBy(results, ({ language }) => language);
  const known = [...groups].flatMap(([language, group]) =>
    language === undefined ? [] : [{ language, group }]
  );
  return known
    .map(({ language, group }) => ({
      language,
      queries: group.length,
      scores: meanScores(group.map(({ scores }) => scores)),
    }))
    .sort((a, b) =>
      Number(a.language === CROSS_LANGUAGE) - Number(b.language === CROSS_LANGUAGE) ||
      b.queries - a.queries || (a.language < b.language ? -1 : 1)
    );
}
