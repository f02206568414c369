import type { Id } from "../contract/mod.ts";
import { anchorsOf } from "./anchors.ts";
import { linksOf, type VaultLink } from "./links.ts";
import { maskCode } from "./mask_code.ts";

/** A document of a source. */
export interface VaultDocument {
  readonly id: Id;
  /** Path inside the source. */
  readonly path: string;
  readonly title: string;
  /** Tags without that of the collection. */
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Time of the last change that the engine knows, or of the first ingestion. */
  readonly changedAt: string | undefined;
  /** Whether the document has changed since its first ingestion. */
  readonly hasChanged: boolean;
  /** Hash of the file. */
  readonly contentHash: string | undefined;
  /** Absent for formats without links, such as PDF. */
  readonly facts: DocumentFacts | undefined;
}

/** Properties of a Markdown text that its document is checked by. */
export interface DocumentFacts {
  readonly links: readonly VaultLink[];
  /** Anchors of {@linkcode anchorsOf}; `undefined` if there are too many. */
  readonly anchors: ReadonlySet<string> | undefined;
  /** Distinct `#tags` in the text, without the `#`. */
  readonly inlineTags: readonly string[];
  /** Number of words, counted up to {@linkcode MAX_COUNTED_WORDS}. */
  readonly words: number;
}

/** Maximum number of words that are counted. */
const MAX_COUNTED_WORDS = 1_000;
/** Maximum number of distinct tags in a text. */
const MAX_INLINE_TAGS = 100;

/** `#tag`, `#tag/subtag`: with a letter, and not within a word or address. */
const INLINE_TAG = /(?<![^\s(]|\]\()#([\p{L}\p{N}_/-]{0,100}?\p{L}[\p{L}\p{N}_/-]{0,100})/gu;
/** Maximum length of the text that is scanned. Files of more characters are data. */
const MAX_SCANNED_CHARS = 4_000_000;

/**
 * Returns the properties of a Markdown text.
 *
 * @param metadata Front matter, whose texts may have `[[links]]`.
 *
 * @example
 * ```ts
 * import { documentFacts } from "./document.ts";
 * import { assertEquals } from "@std/assert";
 * const { links, inlineTags, words } = documentFacts("# Plan\nSee [[Budget]]. #work `#code`");
 * assertEquals(links, [{ kind: "wiki", target: "Budget", anchor: "" }]);
 * assertEquals([inlineTags, words], [["work"], 5]);
 * ```
 */
export function documentFacts(
  text: string,
  metadata: Readonly<Record<string, unknown>> = {},
): DocumentFacts {
  const masked = maskCode(text.slice(0, MAX_SCANNED_CHARS));
  const inlineTags = new Set<string>();
  for (const [, tag = ""] of masked.matchAll(INLINE_TAG)) {
    if (inlineTags.size === MAX_INLINE_TAGS) break;
    inlineTags.add(tag.replace(/\/+$/, ""));
  }
  return {
    links: linksOf(`${masked}\n${wikiTexts(metadata)}`),
    anchors: anchorsOf(masked),
    inlineTags: [...inlineTags],
    words: countWords(text),
  };
}

/** Returns the texts of front matter that have `[[links]]`, also in lists. Deeper values are data. */
function wikiTexts(metadata: Readonly<Record<string, unknown>>): string {
  const values = Object.values(metadata).flat();
  return values.filter((value) => typeof value === "string" && value.includes("[[")).join("\n");
}

function countWords(text: string): number {
  let words = 0;
  for (const _ of text.matchAll(/[\p{L}\p{N}]+/gu)) if (++words === MAX_COUNTED_WORDS) break;
  return words;
}
