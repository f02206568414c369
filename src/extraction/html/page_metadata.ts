import { documentTitle } from "../document_title.ts";
import { internetDate } from "../properties.ts";
import { cleanTitle } from "../title.ts";
import type { HtmlDocument, HtmlElement } from "./element.ts";

/** Maximum length of a field, in UTF-16 code units. */
const MAX_FIELD_CHARS = 1_000;
/** Names of meta elements by field, most specific first. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  author: ["author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author"],
  created: [
    "article:published_time",
    "citation_publication_date",
    "dc.date",
    "dcterms.created",
    "date",
    "pubdate",
  ],
  modified: ["article:modified_time", "og:updated_time", "dcterms.modified", "last-modified"],
  subject: ["description", "og:description", "dc.description"],
  keywords: ["keywords", "news_keywords"],
  language: ["content-language", "dc.language"],
  generator: ["generator"],
};

/** Title and properties of a page. */
export interface PageMetadata {
  readonly title: string | undefined;
  readonly metadata: Record<string, string>;
}

/** Returns what a page says about itself. Must be called before elements are removed. */
export function pageMetadata(page: HtmlDocument, filename: string | undefined): PageMetadata {
  const metas = new Map<string, string>();
  for (const meta of page.getElementsByTagName("meta") as HtmlElement[]) {
    const name = meta.getAttribute("property") ?? meta.getAttribute("name") ??
      meta.getAttribute("http-equiv");
    const content = meta.getAttribute("content")?.replace(/\s+/g, " ").trim();
    if (name && content && !metas.has(name.toLowerCase())) {
      metas.set(name.toLowerCase(), content.slice(0, MAX_FIELD_CHARS).toWellFormed());
    }
  }
  const metadata: Record<string, string> = {};
  for (const [field, names] of Object.entries(FIELDS)) {
    const value = names.map((name) => metas.get(name)).find((content) => content !== undefined);
    const shown = field === "created" || field === "modified" ? internetDate(value) : value;
    if (shown !== undefined) metadata[field] = shown;
  }
  const language = page.documentElement?.getAttribute("lang") ??
    page.documentElement?.getAttribute("xml:lang");
  if (language) metadata["language"] = language.slice(0, 20);
  return { title: titleOf(page, metas.get("og:title"), filename), metadata };
}

/** The title of a page often ends with the name of its site, which `og:title` and the first heading lack. */
function titleOf(
  page: HtmlDocument,
  ogTitle: string | undefined,
  filename: string | undefined,
): string | undefined {
  const text = (name: string) => cleanTitle(page.getElementsByTagName(name)[0]?.textContent);
  const [title, heading, shared] = [text("title"), text("h1"), cleanTitle(ogTitle)];
  const shorter = [shared, heading].find((each) =>
    each !== undefined && title?.startsWith(each) && isSuffix(title.slice(each.length))
  );
  return [shorter, title, shared, heading].map((each) => documentTitle(each, filename)).find((each) =>
    each !== undefined
  );
}

/** Whether the rest of a title is a separator and the name of a site. */
function isSuffix(rest: string): boolean {
  return /^\s*(?:[|–—·•»:/-]|::)\s/.test(rest);
}
