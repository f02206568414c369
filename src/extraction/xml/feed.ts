import { fragmentToMarkdown } from "../html/fragment.ts";
import { elementsOf, rawTextOf, textOf, type XmlElement } from "./tree.ts";

/** A feed as Markdown. */
export interface FeedText {
  readonly title: string;
  readonly text: string;
  readonly metadata: Record<string, unknown>;
}

/** Elements of an item that are no text, or that are written in their own way. */
const ITEM_ELEMENTS = new Set(
  ("title link guid id pubDate published issued date updated modified created author creator category subject encoded " +
    "content description summary comments enclosure source").split(" "),
);
/** A shorter text of an unknown element is a name or number. */
const MIN_BODY_CHARS = 80;

/** Whether the root element is that of an RSS or Atom feed. */
export function isFeed(root: XmlElement): boolean {
  return root.name === "feed" || root.name === "rss" ||
    (root.name === "RDF" && elementsOf(root, "channel", "item").length > 0);
}

/** Writes a feed (RSS 0.9 to 2.0, Atom) with a heading for each item, its date, author, link and content. */
export function writeFeed(root: XmlElement, name: string): FeedText {
  const channel = root.name === "feed" ? root : elementsOf(root, "channel")[0] ?? root;
  const items = [
    ...elementsOf(channel, "item", "entry"),
    ...(channel === root ? [] : elementsOf(root, "item")),
  ];
  const title = plain(elementsOf(channel, "title")[0], name);
  const parts = [...(title === "" ? [] : [`# ${title}`])];
  const about = content(elementsOf(channel, "description", "subtitle", "tagline")[0], name);
  if (about !== "") parts.push(about);
  for (const item of items) parts.push(writeItem(item, name));
  const metadata = {
    author: author(channel),
    language: textOf(elementsOf(channel, "language")[0]) || channel.attributes["xml:lang"],
    modified: isoDate(
      textOf(elementsOf(channel, "lastBuildDate", "updated", "modified", "pubDate", "date")[0]),
    ),
    generator: textOf(elementsOf(channel, "generator")[0]) || undefined,
  };
  return { title, text: parts.join("\n\n") + "\n", metadata };
}

function writeItem(item: XmlElement, name: string): string {
  const heading = plain(elementsOf(item, "title")[0], name);
  const dates = elementsOf(item, "pubDate", "published", "issued", "date", "updated", "modified", "created");
  const date = textOf(dates[0]);
  const details = [
    isoDate(date)?.slice(0, 10) ?? date,
    author(item) ?? "",
    elementsOf(item, "category", "subject").map((each) => textOf(each) || (each.attributes["term"] ?? ""))
      .join(", "),
    link(item),
  ].filter((detail) => detail !== "");
  // The full text, if there is one, contains the summary.
  const full = elementsOf(item, "encoded", "content")[0];
  // Extensions of publishers, such as `yandex:full-text`.
  const others = elementsOf(item).filter((each) =>
    !ITEM_ELEMENTS.has(each.name) && textOf(each).length > MIN_BODY_CHARS
  );
  const summaries = elementsOf(item, "description", "summary");
  const bodies = [...summaries, ...(full ? [full] : []), ...others].map((each) => content(each, name)).filter(
    (body) => body !== "",
  );
  const body = bodies.filter((each, i) =>
    !bodies.some((other, j) => j !== i && isContained(each, other, i < j))
  );
  return [
    ...(heading === "" ? [] : [`## ${heading}`]),
    ...(details.length > 0 ? [details.join(" · ")] : []),
    ...body,
  ].join("\n\n");
}

/** Whether a text is the start of another one; equal texts are kept once. */
function isContained(text: string, other: string, isFirst: boolean): boolean {
  return text === other ? !isFirst : other.startsWith(text.replace(/\s*(?:\.\.\.|…|\[…\])\s*$/, ""));
}

function content(element: XmlElement | undefined, name: string): string {
  if (!element) return "";
  // Atom has XHTML as elements, and HTML as escaped text.
  if (elementsOf(element).length > 0) return fragmentToMarkdown(markupOf(element), name);
  const text = rawTextOf(element).trim();
  return /<[a-z!\/][^>]*>|&\w+;/i.test(text) ? fragmentToMarkdown(text, name) : text;
}

/** Returns a title, which may have HTML, as one line. */
function plain(element: XmlElement | undefined, name: string): string {
  return content(element, name).replace(/\s+/g, " ").trim();
}

function markupOf({ children }: XmlElement): string {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return children.map((child) =>
    typeof child === "string"
      ? escape(child)
      : `<${child.name}>${markupOf(child)}${/^(?:br|hr|img)$/.test(child.name) ? "" : `</${child.name}>`}`
  ).join("");
}

function author(element: XmlElement): string | undefined {
  const found = elementsOf(element, "author", "creator", "managingEditor")[0];
  return (found && (textOf(elementsOf(found, "name")[0]) || textOf(found))) || undefined;
}

function link(item: XmlElement): string {
  const links = elementsOf(item, "link");
  const found = links.find(({ attributes }) => attributes["rel"] === "alternate") ?? links[0];
  return textOf(found) || (found?.attributes["href"] ?? "");
}

function isoDate(text: string): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) || !/\d{4}/.test(text) ? undefined : new Date(time).toISOString();
}
