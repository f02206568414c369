import { fragmentToMarkdown } from "../html/fragment.ts";
import { internetDate } from "../properties.ts";
import { oneLine } from "../whitespace.ts";
import { textOf, type XmlElement } from "./element.ts";

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
    (root.name === "RDF" && root.childrenNamed("channel", "item").length > 0);
}

/** Writes a feed (RSS 0.9 to 2.0, Atom) with a heading for each item, its date, author, link and content. */
export function writeFeed(root: XmlElement, name: string): FeedText {
  const channel = root.name === "feed" ? root : root.child("channel") ?? root;
  const items = [
    ...channel.childrenNamed("item", "entry"),
    ...(channel === root ? [] : root.childrenNamed("item")),
  ];
  const title = plain(channel.child("title"), name);
  const parts = title === "" ? [] : [`# ${title}`];
  const about = content(channel.child("description", "subtitle", "tagline"), name);
  if (about !== "") parts.push(about);
  for (const item of items) parts.push(writeItem(item, name));
  const metadata = {
    author: author(channel),
    language: textOf(channel.child("language")) || channel.get("xml:lang"),
    modified: internetDate(
      textOf(channel.child("lastBuildDate", "updated", "modified", "pubDate", "date")),
    ),
    generator: textOf(channel.child("generator")) || undefined,
  };
  return { title, text: parts.join("\n\n") + "\n", metadata };
}

function writeItem(item: XmlElement, name: string): string {
  const heading = plain(item.child("title"), name);
  const dates = item.childrenNamed(
    "pubDate",
    "published",
    "issued",
    "date",
    "updated",
    "modified",
    "created",
  );
  const date = textOf(dates[0]);
  const details = [
    internetDate(date)?.slice(0, 10) ?? date,
    author(item) ?? "",
    item.childrenNamed("category", "subject").map((each) => textOf(each) || (each.get("term") ?? ""))
      .join(", "),
    link(item),
  ].filter((detail) => detail !== "");
  // The full text, if there is one, contains the summary.
  const full = item.child("encoded", "content");
  // Extensions of publishers, such as `yandex:full-text`.
  const others = item.elements.filter((each) =>
    !ITEM_ELEMENTS.has(each.name) && textOf(each).length > MIN_BODY_CHARS
  );
  const summaries = item.childrenNamed("description", "summary");
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
  if (element.elements.length > 0) return fragmentToMarkdown(markupOf(element), name);
  const text = element.text.trim();
  return /<[a-z!\/][^>]*>|&\w+;/i.test(text) ? fragmentToMarkdown(text, name) : text;
}

/** Returns a title, which may have HTML, as one line. */
function plain(element: XmlElement | undefined, name: string): string {
  return oneLine(content(element, name));
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
  const found = element.child("author", "creator", "managingEditor");
  return (found && (textOf(found.child("name")) || textOf(found))) || undefined;
}

function link(item: XmlElement): string {
  const links = item.childrenNamed("link");
  const found = links.find((each) => each.get("rel") === "alternate") ?? links[0];
  return textOf(found) || (found?.get("href") ?? "");
}
