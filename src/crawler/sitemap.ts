import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { MAX_URL_CHARS } from "./target.ts";

/** Maximum number of entries of a sitemap file (sitemaps.org). */
const MAX_ENTRIES = 50_000;

/** Content of a sitemap file. */
export interface Sitemap {
  /** `index` lists further sitemaps, `urls` lists pages. */
  readonly kind: "index" | "urls";
  readonly locations: readonly string[];
}

/**
 * Parses a sitemap or a sitemap index (sitemaps.org), or a list of one URL per line.
 *
 * The tokenizer knows the five entities of XML and ignores declarations: nothing is expanded or loaded.
 *
 * @returns undefined for another kind of text.
 */
export function parseSitemap(text: string): Sitemap | undefined {
  const lines = text.trim().split(/\s+/, MAX_ENTRIES);
  if (lines.every((line) => /^https?:\/\//.test(line))) return { kind: "urls", locations: lines };
  return parseXmlSitemap(text);
}

function parseXmlSitemap(xml: string): Sitemap | undefined {
  let kind: Sitemap["kind"] | undefined;
  const locations: string[] = [];
  /** Names from the root to the open element; deeper ones are only counted. */
  const path: string[] = [];
  let depth = 0;
  let location: string | undefined;
  const append = (text: string) => {
    if (location !== undefined && location.length <= MAX_URL_CHARS) location += text;
  };
  const close = () => {
    if (location !== undefined && depth === 3) {
      if (location.length <= MAX_URL_CHARS && locations.length < MAX_ENTRIES) locations.push(location.trim());
      location = undefined;
    }
    depth = Math.max(0, depth - 1);
    path.length = Math.min(path.length, depth);
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      depth++;
      if (depth > 3) return;
      path.push(xml.slice(start, Math.min(end, start + 100)).replace(/^.*:/, ""));
      if (depth === 1) {
        kind = path[0] === "sitemapindex" ? "index" : path[0] === "urlset" ? "urls" : undefined;
      }
      const entry = kind === "index" ? "sitemap" : "url";
      if (kind !== undefined && depth === 3 && path[1] === entry && path[2] === "loc") location = "";
    },
    onselfclosingtag: close,
    onclosetag: close,
    ontext: (start, end) => append(xml.slice(start, Math.min(end, start + MAX_URL_CHARS + 1))),
    ontextentity: (codePoint) => append(String.fromCodePoint(codePoint)),
    oncdata: (start, end, endOffset) =>
      append(xml.slice(start, Math.min(end - endOffset, start + MAX_URL_CHARS + 1))),
    onopentagend() {},
    onattribname() {},
    onattribdata() {},
    onattribentity() {},
    onattribend() {},
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  };
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, callbacks);
  tokenizer.write(xml);
  tokenizer.end();
  return kind === undefined ? undefined : { kind, locations };
}
