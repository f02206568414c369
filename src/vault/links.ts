/** A link of a Markdown document to a file, as it is written. */
export interface VaultLink {
  /** `wiki`: `[[target]]`, whose target may be a name; `markdown`: `[text](target)`, whose target is a path. */
  readonly kind: "wiki" | "markdown";
  /** Path or name without the anchor, with percent-encoding removed; empty for a link inside of the document. */
  readonly target: string;
  /** Heading or block after `#`, if there is one. */
  readonly anchor: string;
}

/** Maximum number of distinct links of a document. Further ones are ignored. */
export const MAX_LINKS = 1_000;

/** `[[target]]`, `![[target]]`. The part after `|` is the text; a `|` in a table is escaped. */
const WIKI_LINK = /\[\[([^\[\]\n]{1,500})\]\]/g;
/** The end of `[text](destination "title")`. Brackets in the text need no parsing: each link has one `](`. */
const INLINE_LINK =
  /\]\([ \t]*(?:\n[ \t]*)?(?:<([^<>\n]{1,2000})>|((?:[^\s()\\]|\\.|\([^\s()]{0,500}\)){1,2000}))/g;
/** `[label]: destination`. A label with `^` is a footnote. */
const DEFINITION =
  /^[ \t>]{0,20}\[(?!\^)[^\[\]\n]{1,500}\]:[ \t]*(?:<([^<>\n]{1,2000})>|([^\s<>]{1,2000}))/gm;
const HTML_LINK = /<a[ \t\n][^<>]{0,500}?href[ \t]*=[ \t]*(?:"([^"<>\n]{1,2000})"|'([^'<>\n]{1,2000})')/gi;

/** A scheme, or the start of a network path: addresses outside of the folder. */
const EXTERNAL = /^(?:[a-z][a-z0-9+.-]{1,30}:|\/\/|\\\\)/i;

/**
 * Returns the distinct links of a Markdown text to files, in no particular order. Web addresses are left out.
 *
 * @param masked Text after `maskCode`.
 *
 * @example
 * ```ts
 * import { linksOf } from "./links.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(linksOf("See [[Plan#Risks|the risks]] and [setup](../set%20up.md), not [web](https://a.example)."), [
 *   { kind: "wiki", target: "Plan", anchor: "Risks" },
 *   { kind: "markdown", target: "../set up.md", anchor: "" },
 * ]);
 * ```
 */
export function linksOf(masked: string): VaultLink[] {
  const links = new Map<string, VaultLink>();
  const add = (link: VaultLink | undefined) => {
    if (link) links.set(`${link.kind}\n${link.target}\n${link.anchor}`, link);
    return links.size < MAX_LINKS;
  };
  for (const [, inner = ""] of masked.matchAll(WIKI_LINK)) if (!add(wikiLink(inner))) break;
  for (const pattern of [INLINE_LINK, DEFINITION, HTML_LINK]) {
    for (const [, quoted, plain] of masked.matchAll(pattern)) {
      if (links.size >= MAX_LINKS || !add(markdownLink(quoted ?? plain ?? ""))) break;
    }
  }
  return [...links.values()];
}

/** Returns a link as it can be found in the document, for reports. */
export function linkText({ kind, target, anchor }: VaultLink): string {
  const whole = anchor === "" ? target : `${target}#${anchor}`;
  return kind === "wiki" ? `[[${whole}]]` : whole;
}

function wikiLink(inner: string): VaultLink | undefined {
  const [whole = ""] = inner.replaceAll("\\|", "|").split("|", 1);
  if (EXTERNAL.test(whole)) return undefined;
  const { target, anchor } = splitAnchor(whole);
  return target === "" && anchor === "" ? undefined : { kind: "wiki", target, anchor };
}

function markdownLink(destination: string): VaultLink | undefined {
  if (EXTERNAL.test(destination)) return undefined;
  const { target, anchor } = splitAnchor(destination.replace(/\\([!-/:-@[-`{-~])/g, "$1"));
  const path = decode(target.replace(/\?.*$/, ""));
  return path === "" && anchor === ""
    ? undefined
    : { kind: "markdown", target: path, anchor: decode(anchor) };
}

function splitAnchor(whole: string): { target: string; anchor: string } {
  const hash = whole.indexOf("#");
  return hash < 0
    ? { target: whole.trim(), anchor: "" }
    : { target: whole.slice(0, hash).trim(), anchor: whole.slice(hash + 1).trim() };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
