import { encodingLabel } from "../encoding/declared.ts";
import { oneLine } from "../whitespace.ts";
import { type ContentLine, parseLine, splitText, unescapeText } from "./content_lines.ts";

/** A card of a person or organization. */
export interface Contact {
  readonly name: string;
  /** `Label: value`. */
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/** Labels of properties, in the order in which they are written. Others, such as photos and keys, are left out. */
const LABELS: readonly (readonly [name: string, label: string])[] = [
  ["NICKNAME", "Nickname"],
  ["ORG", "Organization"],
  ["TITLE", "Title"],
  ["ROLE", "Role"],
  ["TEL", "Phone"],
  ["EMAIL", "E-mail"],
  ["IMPP", "Messaging"],
  ["ADR", "Address"],
  ["URL", "URL"],
  ["BDAY", "Birthday"],
  ["ANNIVERSARY", "Anniversary"],
  ["LANG", "Language"],
  ["RELATED", "Related"],
  ["CATEGORIES", "Categories"],
];
/** Properties that are lists or have components. */
const STRUCTURED: Readonly<Record<string, ";" | ",">> = {
  ORG: ";",
  ADR: ";",
  NICKNAME: ",",
  CATEGORIES: ",",
};
/** Types that say nothing to a reader. */
const HIDDEN_TYPES = new Set(["pref", "voice", "internet", "x400", "parcel", "postal", "dom", "intl"]);

/** Parses vCard 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350) whose lines are unfolded. */
export async function parseContacts(text: string): Promise<Contact[]> {
  const contacts: Contact[] = [];
  let current: ContentLine[] | undefined;
  const end = () => {
    if (current) contacts.push(toContact(current));
    current = undefined;
  };
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    let line = parseLine(lines[at]!);
    if (!line) continue;
    if (isQuotedPrintable(line)) {
      const parts = [line.value];
      while (parts.at(-1)!.endsWith("=")) parts.push(parts.pop()!.slice(0, -1), lines[++at] ?? "");
      line = { ...line, value: await decodeQuotedPrintable(parts.join(""), line.params.get("CHARSET")?.[0]) };
    }
    const isCard = line.value.trim().toUpperCase() === "VCARD";
    if (line.name === "BEGIN" && isCard) {
      end();
      current = [];
    } else if (line.name === "END" && isCard) end();
    else current?.push(line);
  }
  end();
  return contacts;
}

function toContact(properties: readonly ContentLine[]): Contact {
  const texts = (name: string) =>
    properties.filter((each) => each.name === name).map(({ value }) => unescapeText(value).trim())
      .filter((value) => value !== "");
  // Programs of Apple name properties by another one of the same group: `_$!<HomePage>!$_`.
  const labels = new Map(
    properties.filter(({ name, group }) => name === "X-ABLABEL" && group !== "").map(({ group, value }) =>
      [group.toLowerCase(), unescapeText(value).replace(/^_\$!<|>!\$_$/g, "").toLowerCase()] as const
    ),
  );
  const lines = LABELS.flatMap(([name, label]) =>
    properties.filter((each) => each.name === name).flatMap((property) => {
      const value = oneLine(valueOf(property));
      if (value === "") return [];
      const types = typesOf(property, labels.get(property.group.toLowerCase()));
      return [`${label}${types.length === 0 ? "" : ` (${types.join(", ")})`}: ${value}`];
    })
  );
  return {
    name: oneLine(texts("FN")[0] ?? "") || fullName(properties) || lines[0]?.replace(/^[^:]*: /, "") ||
      "Contact",
    lines,
    notes: texts("NOTE"),
  };
}

function valueOf({ name, value }: ContentLine): string {
  const separator = Object.hasOwn(STRUCTURED, name) ? STRUCTURED[name] : undefined;
  if (separator !== undefined) return splitText(value, separator).filter((part) => part !== "").join(", ");
  if (name === "BDAY" || name === "ANNIVERSARY") {
    return value.trim().replace(/^(\d{4})(\d\d)(\d\d)(?=$|T)/, "$1-$2-$3");
  }
  return unescapeText(value).replace(/^(?:tel|mailto):/i, "");
}

/** Returns a name from its components: family; given; additional; prefixes; suffixes. */
function fullName(properties: readonly ContentLine[]): string {
  const [family = "", given = "", additional = "", prefixes = "", suffixes = ""] = splitText(
    properties.find(({ name }) => name === "N")?.value ?? "",
    ";",
  );
  return oneLine([prefixes, given, additional, family, suffixes].join(" "));
}

function typesOf({ params }: ContentLine, label: string | undefined): string[] {
  const types = (params.get("TYPE") ?? []).flatMap((type) => type.toLowerCase().split(","))
    .filter((type) =>
      /^[a-z][a-z-]{0,30}$/.test(type) && !HIDDEN_TYPES.has(type) && !/^(?:quoted-printable|x-)/.test(type)
    );
  return [...new Set(label === undefined || label === "" ? types : [label.slice(0, 100), ...types])].slice(
    0,
    5,
  );
}

function isQuotedPrintable({ params }: ContentLine): boolean {
  return [...params.get("ENCODING") ?? [], ...params.get("TYPE") ?? []].some((value) =>
    value.toUpperCase() === "QUOTED-PRINTABLE"
  );
}

/** Decodes quoted-printable of vCard 2.1. Line ends in it are text. */
async function decodeQuotedPrintable(value: string, charset: string | undefined): Promise<string> {
  if (!value.includes("=")) return value;
  const encoded = new TextEncoder().encode(value);
  const bytes = new Uint8Array(encoded.length);
  let length = 0;
  for (let at = 0; at < encoded.length; at++) {
    const hex = encoded[at] === 0x3d ? String.fromCharCode(...encoded.subarray(at + 1, at + 3)) : "";
    if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
      bytes[length++] = parseInt(hex, 16);
      at += 2;
    } else bytes[length++] = encoded[at]!;
  }
  return (await decodeBytes(bytes.subarray(0, length), charset)).replace(/\r\n?/g, "\n");
}

/** Decodes a value as UTF-8, or else in its charset. Never guesses: that takes 10 ms, and a file has many values. */
async function decodeBytes(bytes: Uint8Array, charset: string | undefined): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const { decodeWith } = await import("../encoding/guess.ts");
    return decodeWith(bytes, (charset && encodingLabel(charset)) ?? "windows-1252");
  }
}
