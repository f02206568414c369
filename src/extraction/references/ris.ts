import type { BibliographyItem } from "./document.ts";
import type { Author, Reference } from "./reference.ts";

/** A line of a field: two characters, and its value. */
const FIELD = /^([A-Z][A-Z0-9]) {1,2}-(?: (.*)|)$/;

/** Names of fields, by their tags in RIS. Fields with other tags are left out. */
const NAMES: Readonly<Record<string, string>> = {
  A1: "author",
  AB: "abstract",
  AU: "author",
  C1: "note",
  CN: "call number",
  CY: "place",
  DA: "date",
  DB: "database",
  DO: "doi",
  ED: "editor",
  ET: "edition",
  IS: "issue",
  JA: "journal",
  JF: "journal",
  JO: "journal",
  KW: "keywords",
  LA: "language",
  N1: "note",
  N2: "abstract",
  PB: "publisher",
  RN: "note",
  SE: "section",
  SN: "isbn",
  T3: "series",
  UR: "url",
  VL: "volume",
};
const TITLES = ["TI", "T1", "CT", "BT"];

/** Parses RIS, as databases export references. Values continue on lines without a tag. */
export function* parseRis(text: string): Generator<BibliographyItem> {
  let fields: RisField[] = [];
  for (const line of text.split("\n")) {
    const [, tag, value = ""] = FIELD.exec(line) ?? [];
    if (tag === undefined) {
      if (line.trim() !== "") fields.at(-1)?.lines.push(line.trim());
    } else if (tag === "ER" || tag === "TY") {
      if (fields.length > 0) yield { reference: toReference(fields) };
      fields = tag === "TY" ? [{ tag, lines: [value.trim()] }] : [];
    } else if (fields.length > 0) fields.push({ tag, lines: [value.trim()] });
  }
  if (fields.length > 0) yield { reference: toReference(fields) };
}

interface RisField {
  readonly tag: string;
  readonly lines: string[];
}

function toReference(lines: readonly RisField[]): Reference {
  const values = new Map<string, string[]>();
  for (const { tag, lines: parts } of lines) {
    const known = values.get(tag);
    if (known) known.push(parts.join("\n"));
    else values.set(tag, [parts.join("\n")]);
  }
  const first = (...tags: string[]) =>
    tags.map((each) => values.get(each)?.[0]).find((value) => value !== undefined && value !== "");
  const pages = [first("SP"), first("EP")].filter((page) => page !== undefined).join("–");
  const authors = ["AU", "A1"].flatMap((each) => values.get(each) ?? []);
  const fields = [...values].flatMap(([each, list]): [string, string][] => {
    const name = each === "T2" ? "in" : Object.hasOwn(NAMES, each) ? NAMES[each] : undefined;
    return name === undefined
      ? []
      : [[name, list.join(name === "abstract" || name === "note" ? "\n" : "; ")]];
  });
  return {
    key: first("ID") ?? "",
    type: first("TY") ?? "",
    title: first(...TITLES),
    year: /\d{4}/.exec(first("PY", "Y1", "DA") ?? "")?.[0],
    authors: authors.filter((name) => name !== "").map((name): Author => ({
      name,
      isWhole: !name.includes(","),
    })),
    fields: pages === "" ? fields : [...fields, ["pages", pages]],
  };
}
