import { lazy } from "../../text/mod.ts";
import type { LanguageDetector } from "./detector.ts";
import type { Snowball } from "./stemmers.ts";
import type { StopWords } from "./stop_words.ts";

/*
 * The tables of stemmers, stop words and n-grams take a megabyte of code and up to 30 MB of memory. A store of
 * English text never needs them, so that they are loaded on demand, outside of transactions.
 */

/** Stemmers and stop words. */
export interface StemmerTables {
  readonly snowball: Snowball;
  /** Returns the stop words, which queries need and documents do not. */
  readonly stopWords: () => StopWords;
  /** Returns the simplified form of each traditional Chinese character. */
  readonly simplified: () => ReadonlyMap<string, string>;
}

let stemmers: StemmerTables | undefined;
/** Pending while the stemmers are loaded. */
let loading: Promise<void> | undefined;
let detector: LanguageDetector | undefined;
/** Pending while the detector is loaded. */
let loadingDetector: Promise<void> | undefined;

/** Loads stemmers and stop words, which searches of text in other languages need. */
export function loadStemmers(): Promise<void> {
  if (stemmers) return Promise.resolve();
  // Once: searches that import these modules while they are loaded end the process, by a panic of Deno 2.9.
  return loading ??= importStemmers().finally(() => loading = undefined);
}

/** Whether {@linkcode loadStemmers} has finished. */
export function areStemmersLoaded(): boolean {
  return stemmers !== undefined;
}

async function importStemmers(): Promise<void> {
  const [{ stem }, { default: stopWords }, { stopWordsOf }, { default: characters }] = await Promise
    .all([
      import("multilingual-stemmer"),
      import("stopwords-iso", { with: { type: "json" } }),
      import("./stop_words.ts"),
      import("opencc-js/dict/TSCharacters"),
    ]);
  stemmers = {
    snowball: stem,
    stopWords: lazy(() => stopWordsOf(stopWords)),
    simplified: lazy(() => simplifiedForms(characters)),
  };
}

/** Parses the dictionary of OpenCC: a traditional character, a space and its simplified forms, separated by "|". */
function simplifiedForms(dictionary: string): Map<string, string> {
  const forms = new Map<string, string>();
  for (const entry of dictionary.split("|")) {
    // The first of several simplified forms is the most frequent one.
    const [traditional, simplified] = entry.replace(" ", "");
    if (traditional && simplified && traditional !== simplified) forms.set(traditional, simplified);
  }
  return forms;
}

/** Loads everything that the analysis of documents needs. */
export async function loadLanguages(): Promise<void> {
  await Promise.all([loadStemmers(), loadDetector()]);
}

/** Loads what detects languages, which is all that the analysis of text without stems needs. */
export function loadDetector(): Promise<void> {
  if (detector) return Promise.resolve();
  // Once, like the stemmers.
  return loadingDetector ??= importDetector().finally(() => loadingDetector = undefined);
}

async function importDetector(): Promise<void> {
  const [{ LanguageDetector }, { DATA, LANGUAGES }] = await Promise.all([
    import("./detector.ts"),
    import("./ngrams.ts"),
  ]);
  detector = new LanguageDetector(LANGUAGES, DATA);
}

/** Returns the stemmers, or undefined before {@linkcode loadStemmers}. */
export function loadedStemmers(): StemmerTables | undefined {
  return stemmers;
}

/** Returns the detector, or undefined before {@linkcode loadLanguages}. */
export function loadedDetector(): LanguageDetector | undefined {
  return detector;
}
