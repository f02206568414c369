import { lazy } from "../../text/mod.ts";
import type { LanguageDetector } from "./detector.ts";
import type { Snowball } from "./snowball.ts";

/*
 * The tables of stemmers, stop words and n-grams take a megabyte of code and up to 10 MB of memory. A store of
 * English text never needs them, so that they are loaded on demand, outside of transactions.
 */

/** Stemmers and stop words. */
export interface StemmerTables {
  readonly snowball: Snowball;
  readonly stopWords: ReadonlyMap<string, ReadonlySet<string>>;
  /** Returns the simplified form of each traditional Chinese character. */
  readonly simplified: () => ReadonlyMap<string, string>;
}

let stemmers: StemmerTables | undefined;
let detector: LanguageDetector | undefined;

/** Loads stemmers and stop words, which searches of text in other languages need. */
export async function loadStemmers(): Promise<void> {
  if (stemmers) return;
  const [{ Snowball }, { DATA }, { STOP_WORDS }, { SIMPLIFIED }] = await Promise.all([
    import("./snowball.ts"),
    import("./data/snowball.ts"),
    import("./data/stop_words.ts"),
    import("./data/han.ts"),
  ]);
  const stopWords = Object.entries(STOP_WORDS).map(([language, words]) =>
    [language, new Set(words.split(" "))] as const
  );
  const simplified = lazy(() => new Map(SIMPLIFIED.split(" ").map((pair) => [...pair] as [string, string])));
  stemmers ??= { snowball: new Snowball(DATA), stopWords: new Map(stopWords), simplified };
}

/** Loads everything that the analysis of documents needs. */
export async function loadLanguages(): Promise<void> {
  await loadStemmers();
  if (detector) return;
  const [{ LanguageDetector }, { DATA, LANGUAGES }] = await Promise.all([
    import("./detector.ts"),
    import("./data/ngrams.ts"),
  ]);
  detector ??= new LanguageDetector(LANGUAGES, DATA);
}

/** Returns the stemmers, or undefined before {@linkcode loadStemmers}. */
export function loadedStemmers(): StemmerTables | undefined {
  return stemmers;
}

/** Returns the detector, or undefined before {@linkcode loadLanguages}. */
export function loadedDetector(): LanguageDetector | undefined {
  return detector;
}
