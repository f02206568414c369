import type { Id } from "../contract/mod.ts";
import { documentUri, oneLine } from "../tools/mod.ts";

/*
 * Names that others gave (titles, paths, tags), inside Markdown of ours. They must not be able to end a link or a table
 * cell, begin a heading, or turn the reading direction of what stands beside them.
 */

/** Of CommonMark's ASCII punctuation (§2.4), what can begin anything inside a line. */
const MARKS = /[\\`*_\[\]<>|&~#]/g;

/** A name as inline text. */
export function inline(name: string): string {
  return oneLine(name).replace(MARKS, "\\$&");
}

/** A name as a code span, fenced by more backticks than it has in a row (CommonMark §6.1). */
export function code(name: string): string {
  const text = oneLine(name);
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/**
 * A text of any length in a code fence that it cannot close (CommonMark §4.5): what stands inside can be told from what
 * stands around it, whatever it says.
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

/** Length of the longest run of backticks. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

/** A link to a URI of ours. Parentheses would end its destination, and no URI needs them bare. */
export function link(label: string, uri: string): string {
  return `[${inline(label)}](${uri.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

/** What can be known of a document without reading it. */
interface Named {
  readonly document_id: Id;
  readonly title?: string | null | undefined;
  readonly source_path?: string | null | undefined;
}

/** What a document is called: its title, else where it came from, else its id. */
export function nameOf({ document_id, title, source_path }: Named): string {
  for (const name of [title, source_path]) if (name && oneLine(name) !== "") return oneLine(name);
  return `Document ${oneLine(String(document_id))}`;
}

/** A link to a document, under its name. */
export function documentLink(document: Named): string {
  return link(nameOf(document), documentUri(document.document_id));
}

/** The day of a timestamp; what does not look like one is shown as it is. */
export function day(timestamp: string): string {
  return /^\d{4}-\d\d-\d\d(?=[T ]|$)/.exec(timestamp)?.[0] ?? inline(timestamp);
}
