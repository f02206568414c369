import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** Maximum length of the HTML that is scanned, in characters. */
const MAX_SCANNED_CHARS = 4 * 2 ** 20;
/** Maximum number of links of a page. */
const MAX_LINKS = 10_000;
/** Maximum length of an attribute that is read, in characters. */
const MAX_ATTRIBUTE_CHARS = 4_000;

/** Links and directives of a page, for a crawler. */
export interface PageLinks {
  /** Absolute targets of `<a>` and `<area>`, in their order, without duplicates. */
  readonly links: readonly string[];
  /** Absolute target of `<link rel="canonical">`. */
  readonly canonical: string | undefined;
  /** Whether the page asks crawlers not to store it. */
  readonly noindex: boolean;
}

/**
 * Finds the links of an HTML page.
 *
 * Only the tags are scanned, in linear time: a DOM or a stack of open elements takes quadratic time for a
 * hostile page, and this runs in the engine's process.
 *
 * @param url URL of the page; relative links refer to it or to its `<base>`.
 *
 * @example
 * ```ts
 * import { scanLinks } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const { links } = scanLinks('<a href="two#top">Two</a>', new URL("https://example.com/one"));
 * assertEquals(links, ["https://example.com/two#top"]);
 * ```
 */
export function scanLinks(html: string, url: URL): PageLinks {
  const targets: string[] = [];
  let base: URL = url;
  let canonical: string | undefined;
  let noindex = false;
  let nofollow = false;
  scanTags(html.slice(0, MAX_SCANNED_CHARS), (name, attributes) => {
    const href = attributes.get("href");
    const rel = (attributes.get("rel") ?? "").toLowerCase().split(/\s+/);
    if ((name === "a" || name === "area") && href !== undefined) {
      if (targets.length < MAX_LINKS && !rel.includes("nofollow")) targets.push(href);
    } else if (name === "base" && href !== undefined && base === url) {
      base = URL.parse(href, url) ?? url;
    } else if (name === "link" && rel.includes("canonical") && href !== undefined) {
      canonical ??= href;
    } else if (name === "meta" && /^(?:robots|kb-mcp)$/i.test(attributes.get("name") ?? "")) {
      const content = robotsDirectives(attributes.get("content") ?? "");
      noindex ||= content.noindex;
      nofollow ||= content.nofollow;
    }
  });
  const absolute = (href: string) => URL.parse(href.trim(), base)?.href;
  const links = nofollow ? [] : targets.map(absolute).filter((link) => link !== undefined);
  return {
    links: [...new Set(links)],
    canonical: canonical === undefined ? undefined : absolute(canonical),
    noindex,
  };
}

/** Parses the directives of `<meta name="robots">` and `X-Robots-Tag`. */
export function robotsDirectives(value: string): { readonly noindex: boolean; readonly nofollow: boolean } {
  const directives = value.toLowerCase().split(/[\s,]+/);
  const has = (name: string) => directives.includes(name) || directives.includes("none");
  return { noindex: has("noindex"), nofollow: has("nofollow") };
}

/** Calls back for every start tag, with the first value of each of its attributes. */
function scanTags(
  html: string,
  onTag: (name: string, attributes: ReadonlyMap<string, string>) => void,
): void {
  let tag = "";
  let attribute = "";
  let value = "";
  let attributes = new Map<string, string>();
  const append = (text: string) => {
    if (value.length < MAX_ATTRIBUTE_CHARS) value += text;
  };
  const finish = () => {
    if (tag !== "") onTag(tag, attributes);
    tag = "";
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      tag = html.slice(start, end).toLowerCase();
      attributes = new Map();
    },
    onattribname(start, end) {
      attribute = html.slice(start, Math.min(end, start + 100)).toLowerCase();
      value = "";
    },
    onattribdata: (start, end) => append(html.slice(start, Math.min(end, start + MAX_ATTRIBUTE_CHARS))),
    onattribentity: (codePoint) => append(String.fromCodePoint(codePoint)),
    onattribend() {
      if (attributes.size < 100 && !attributes.has(attribute)) attributes.set(attribute, value);
    },
    onopentagend: finish,
    onselfclosingtag: finish,
    onclosetag() {},
    oncdata() {},
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    ontext() {},
    ontextentity() {},
    onend() {},
  };
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
}
