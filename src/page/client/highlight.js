/** Marks the words of a query in a text. */
import { h } from "./dom.js";

/** Maximum number of words of a query that are marked. */
const MAX_TERMS = 32;
/** Maximum length of a text in which words are marked. */
const MAX_CHARS = 200_000;

/**
 * Returns the words of a query to mark: without excluded ones, in lower case and without accents.
 *
 * @param {string} query
 * @param {readonly string[]} [more] Words that the search used instead of misspelled ones.
 * @returns {string[]}
 */
export function queryTerms(query, more = []) {
  const included = query.split(/\s+/).filter((word) => !word.startsWith("-"));
  const words = [...included, ...more].flatMap((text) =>
    [...text.matchAll(WORD)].map(([word]) => fold(word))
  );
  return [...new Set(words)].slice(0, MAX_TERMS);
}

/**
 * Returns the nodes of a text, with `<mark>` around words that match a term.
 *
 * @param {string} text
 * @param {readonly string[]} terms
 * @returns {(Node | string)[]}
 */
export function highlight(text, terms) {
  if (terms.length === 0 || text.length > MAX_CHARS) return [text];
  /** @type {(Node | string)[]} */
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    if (!terms.some((term) => matches(fold(match[0]), term))) continue;
    nodes.push(text.slice(end, match.index), h("mark", {}, match[0]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words: a run of letters contains the words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Whether a word is a term or an inflection of it, as far as their first letters tell.
 *
 * @param {string} word
 * @param {string} term
 */
function matches(word, term) {
  if (word === term) return true;
  if (UNSPACED.test(term)) return word.includes(term) || (word.length > 1 && term.includes(word));
  const [short, long] = word.length < term.length ? [word, term] : [term, word];
  return short.length >= 3 && long.length - short.length <= 4 && long.startsWith(short);
}

/** @param {string} text */
function fold(text) {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
