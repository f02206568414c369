import type { Id } from "../contract/mod.ts";
import { oneLine } from "../text/mod.ts";
import { documentUri } from "../tools/mod.ts";

/*
 * Threat: titles, paths and tags come from untrusted documents and are embedded in our Markdown. They must
 * not end a link or a table cell, start a heading, or reverse the reading direction of the text around them.
 */

/** ASCII punctuation (CommonMark §2.4) that can start an inline construct. */
const SPECIAL = /[\\`*_\[\]<>|&~#]/g;

/** Escapes a name as inline text. */
export function inline(name: string): string {
  return oneLine(name).replace(SPECIAL, "\\$&");
}

/** Returns a name as a code span, fenced by more backticks than it has in a row (CommonMark §6.1). */
export function code(name: string): string {
  const text = oneLine(name);
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/**
 * Returns a text in a code fence that it cannot close (CommonMark §4.5), so that untrusted text cannot pass
 * for the text around it.
 *
 * @example
 * ```ts
 * import { fenced } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const [three, four] = ["`".repeat(3), "`".repeat(4)];
 * assertEquals(fenced("Hello"), `${three}text\nHello\n${three}`);
 * assertEquals(fenced(`${three}\nHello`), `${four}text\n${three}\nHello\n${four}`);
 * ```
 */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${text.toWellFormed()}\n${fence}`;
}

/** Returns the length of the longest run of backticks. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** Returns a link to one of our URIs. Unescaped parentheses would end the destination. */
export function link(label: string, uri: string): string {
  return `[${inline(label)}](${uri.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** Fields of a document that can name it. */
interface NamedDocument {
  readonly document_id: Id;
  readonly title?: string | null | undefined;
  readonly source_path?: string | null | undefined;
}

/** Returns the name of a document: its title, source path or id. */
export function nameOf({ document_id, title, source_path }: NamedDocument): string {
  for (const name of [title, source_path]) if (name && oneLine(name) !== "") return oneLine(name);
  return `Document ${oneLine(String(document_id))}`;
}

/** Returns a link to a document with its name as the label. */
export function documentLink(document: NamedDocument): string {
  return link(nameOf(document), documentUri(document.document_id));
}

/** Returns the day of a timestamp; other values are returned escaped. */
export function day(timestamp: string): string {
  return /^\d{4}-\d\d-\d\d(?=[T ]|$)/.exec(timestamp)?.[0] ?? inline(timestamp);
}
