import type { MarkdownWriter } from "../markdown/writer.ts";
import { oneLine } from "../whitespace.ts";

/** An author, as text. */
export interface Author {
  /** `Last, First` or `First Last`. */
  readonly name: string;
  /** Whether the name cannot be divided: that of an organization. */
  readonly isWhole: boolean;
}

/** An entry of a bibliography, with decoded values. */
export interface Reference {
  /** Key by which texts cite it; empty without one. */
  readonly key: string;
  /** `article`, `book`, … */
  readonly type: string;
  readonly title: string | undefined;
  readonly year: string | undefined;
  /** Its authors, or else its editors, for the heading. */
  readonly authors: readonly Author[];
  /** Fields that the heading does not repeat in full, in the order of the file. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Number of authors that a heading names; of more, it names the first one. */
const MAX_NAMED_AUTHORS = 3;
/** Fields in which people write sentences: each is a paragraph. */
const PROSE = /^(?:abstract|annot(?:e|ation)|notes?)$/i;

/** Writes a reference as a section: `Knuth (1984): Literate Programming`, then a line for each field. */
export function writeReference(writer: MarkdownWriter, reference: Reference): void {
  writer.heading(2, referenceTitle(reference));
  const { key, type, fields } = reference;
  const named: readonly (readonly [string, string])[] = [
    ...fields.filter(([name]) => !PROSE.test(name)),
    ["Type", type],
    ["Key", key],
  ];
  const lines = named.flatMap(([name, value]) =>
    oneLine(value) === "" ? [] : [`${capitalized(name)}: ${oneLine(value)}`]
  );
  writer.paragraph(lines.join("\n"));
  for (const [name, value] of fields) {
    if (PROSE.test(name) && value.trim() !== "") writer.paragraph(`${capitalized(name)}: ${value.trim()}`);
  }
}

/** Returns the heading of a reference: its authors, year and title, or else its key. */
export function referenceTitle({ key, type, title = "", year = "", authors }: Reference): string {
  const names = authors.map(familyName).filter((name) => name !== "");
  const byline = names.length > MAX_NAMED_AUTHORS ? `${names[0]} et al.` : listed(names);
  const source = [byline, oneLine(year) === "" ? "" : `(${oneLine(year)})`].filter((part) => part !== "")
    .join(" ");
  const name = oneLine(title) || key || type;
  return source === "" ? name : `${source}: ${name}`;
}

/** Returns the family name of `Last, First` or `First von Last`. */
function familyName({ name, isWhole }: Author): string {
  const comma = name.indexOf(",");
  if (isWhole) return name;
  if (comma > 0) return name.slice(0, comma);
  const words = name.split(" ");
  const from = words.findIndex((word, at) => at > 0 && at < words.length - 1 && /^\p{Ll}/u.test(word));
  return words.slice(from > 0 ? from : -1).join(" ");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function capitalized(name: string): string {
  return name === name.toLowerCase() && /^(?:doi|url|isbn|issn|pmid|isrn)$/.test(name)
    ? name.toUpperCase()
    : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
