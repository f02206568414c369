import { identifierSubwords, isStopWord, normalizeForSearch } from "../../analysis/mod.ts";
import { isPlainWords, type Phrase, type QueryTerm, queryTerms, wordsOf } from "./query_terms.ts";

/** A parsed query. */
export interface ParsedQuery {
  /** Terms to rank by: chunks with more of them rank higher. */
  readonly terms: readonly QueryTerm[];
  /** Quoted phrases: every result contains each of them verbatim. */
  readonly phrases: readonly Phrase[];
  /** The query without phrases and exclusions. */
  readonly unquoted: string;
  /** Exclusions: no result contains any of them. */
  readonly exclusions: readonly Phrase[];
  /** The query without syntax and exclusions, to embed. */
  readonly text: string;
  /**
   * Identifiers with inner punctuation, such as `foo->bar`, normalized. The index stores only their words.
   */
  readonly identifiers: readonly string[];
  /** Whether the query had only exclusions, which are parsed as plain words. */
  readonly hadOnlyExclusions: boolean;
}

/** Maximum number of quoted phrases, and of exclusions. Further ones are parsed as plain words. */
const MAX_PHRASES = 16;
/** Maximum number of words next to a quoted phrase. Among more, quotation marks are punctuation. */
const MAX_UNQUOTED_WORDS = 4;
/** A longer phrase is matched by its first words. */
const MAX_PHRASE_WORDS = 64;
const MAX_IDENTIFIERS = 16;

/** From the first letter or digit to the last. Linear, unlike a removal of the punctuation at the end. */
const WITHOUT_OUTER_PUNCTUATION = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;
/** Punctuation inside an identifier, unlike that of prose: hyphens, apostrophes, slashes, "e.g.". */
const INNER_PUNCTUATION = /[\p{L}\p{N}]{2}(?:[^\p{L}\p{N}\p{M}\s'’,/\\–—-]|->)+[\p{L}\p{N}]{2}/u;

/**
 * Quoted phrases and exclusions. A quotation mark counts only at the start or end of a word, which rules out
 * inches and apostrophes. An exclusion is a single hyphen after white space and before a word or quoted
 * phrase.
 */
const SYNTAX =
  /(?<=^|[\s(])(?<minus>-?)["“”„«](?<quoted>[^"“”„«»]+)["“”»](?=$|[\s),.;:!?])|(?<=^|\s)-(?<excluded>[\p{L}\p{N}]\S*)/gu;

/** What every quoted phrase and exclusion has. */
const MAY_BE_SYNTAX = /["“”„«»]|(?<=^|\s)-/u;

/** Replaces a quoted phrase while parsing. It occurs in no word. */
const PLACEHOLDER = "\0";

/**
 * Parses a query.
 *
 * `"quoted words"` must occur verbatim in every result; `-word` and `-"quoted words"` in none. There is no
 * other syntax. A query of exclusions only is parsed as plain words, and so is a quoted phrase among more
 * than {@linkcode MAX_UNQUOTED_WORDS} other words.
 *
 * @param input Any string.
 *
 * @example
 * ```ts
 * import { parseQuery } from "./query.ts";
 * import { assertEquals } from "@std/assert";
 * const { terms, phrases, exclusions } = parseQuery('kettle "green tea" -milk');
 * assertEquals(terms[0]?.words, ["green", "tea"]);
 * assertEquals(phrases.map(({ text }) => text), ["green tea"]);
 * assertEquals(exclusions.map(({ text }) => text), ["milk"]);
 * ```
 */
export function parseQuery(input: string): ParsedQuery {
  if (isPlainWords(input)) return { ...plainQuery(input), exclusions: [] };
  // U+FEFF is white space to JavaScript, and ignored by the index.
  const query = input.replaceAll("\ufeff", "");
  const phrases: Phrase[] = [];
  const exclusions: Phrase[] = [];
  const plain = query.replaceAll(PLACEHOLDER, " ").replace(SYNTAX, (match, ...rest) => {
    const { minus, quoted, excluded } = rest.at(-1) as Record<string, string | undefined>;
    const phrase = parsePhrase(quoted ?? excluded ?? "");
    const isRequired = quoted !== undefined && minus !== "-";
    const list = isRequired ? phrases : exclusions;
    if (phrase.words.length === 0 || list.length === MAX_PHRASES) return match;
    list.push(phrase);
    return isRequired ? ` ${PLACEHOLDER} ` : " ";
  });
  const unquoted = plain.replaceAll(PLACEHOLDER, " ");
  const unquotedTerms = queryTerms(unquoted, []);
  if (unquotedTerms.length + phrases.length === 0 && exclusions.length > 0) {
    return { ...plainQuery(query), exclusions: [], hadOnlyExclusions: true };
  }
  let next = 0;
  const text = withoutExtraSpace(plain.replaceAll(PLACEHOLDER, () => phrases[next++]?.text ?? ""));
  const isProse = plain.split(/\s+/u).filter(isContentWord).length > MAX_UNQUOTED_WORDS;
  const parsed = { ...plainQuery(text), exclusions };
  return phrases.length === 0 || isProse
    ? parsed
    : { ...parsed, terms: queryTerms(unquoted, phrases), phrases, unquoted };
}

/**
 * Returns the `text` of a query without syntax, as {@linkcode parseQuery} does, in a fraction of the time.
 *
 * @returns Undefined if the query may have syntax.
 */
export function plainQueryText(input: string): string | undefined {
  if (isPlainWords(input)) return input;
  return MAY_BE_SYNTAX.test(input) ? undefined : withoutExtraSpace(input.replaceAll("\ufeff", ""));
}

/** Returns the query of a text without syntax. */
function plainQuery(text: string): Omit<ParsedQuery, "exclusions"> {
  return {
    terms: queryTerms(text, []),
    phrases: [],
    unquoted: text,
    text,
    identifiers: identifiersIn(text),
    hadOnlyExclusions: false,
  };
}

/**
 * Reads some of the quoted phrases of a query as plain words.
 *
 * @returns A query whose terms have no forms yet.
 */
export function unquotePhrases(query: ParsedQuery, unquotedPhrases: readonly Phrase[]): ParsedQuery {
  const phrases = query.phrases.filter((phrase) => !unquotedPhrases.includes(phrase));
  const unquoted = [query.unquoted, ...unquotedPhrases.map(({ text }) => text)].join(" ");
  return { ...query, terms: queryTerms(unquoted, phrases), phrases, unquoted };
}

function withoutExtraSpace(text: string): string {
  return text.replaceAll(PLACEHOLDER, " ").replace(/\s+/g, " ").trim();
}

function identifiersIn(text: string): string[] {
  if (isPlainWords(text)) return [];
  const normalized = text.split(/\s+/u)
    .map((field) => WITHOUT_OUTER_PUNCTUATION.exec(normalizeForSearch(field).toLowerCase())?.[0] ?? "");
  return [...new Set(normalized.filter((field) => INNER_PUNCTUATION.test(field)))].slice(0, MAX_IDENTIFIERS);
}

function parsePhrase(text: string): Phrase {
  const words = wordsOf(text);
  const [identifier] = identifierSubwords(text);
  // "C++" is its own word in the index, so that it does not match C.
  if (words.length === 1 && identifier?.length === 1) return { text: text.trim(), words: identifier };
  return { text: text.trim(), words: words.slice(0, MAX_PHRASE_WORDS) };
}

/** Whether a white-space separated field is more than punctuation or a stop word. */
function isContentWord(field: string): boolean {
  return /[\p{L}\p{N}]/u.test(field) && !isStopWord(field.toLowerCase());
}
