import { documentTitle } from "../document_title.ts";
import { internetDate, isoDate } from "../properties.ts";
import { cleanTitle } from "../title.ts";

/** Entries of the information dictionary (ISO 32000-1, 14.3.3), with their metadata keys. */
const KEYS: Readonly<Record<string, string>> = {
  Author: "author",
  Subject: "subject",
  Keywords: "keywords",
  CreationDate: "created",
  ModDate: "modified",
  Creator: "generator",
};
/** Bytes at each end of a file in which the catalog is searched for the language. */
const CATALOG_BYTES = 65_536;

/**
 * Converts the information dictionary of a PDF to metadata.
 *
 * @param info Entries by name.
 * @param options `filename` to recognize titles that are file names; `language` of the catalog.
 */
export function toMetadata(
  info: Readonly<Record<string, unknown>>,
  options: { filename: string | undefined; language: string | undefined },
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const title = documentTitle(info.Title, options.filename);
  if (title !== undefined) found.title = title;
  for (const [entry, key] of Object.entries(KEYS)) {
    const value = cleanTitle(info[entry] ?? (entry === "Creator" ? info.Producer : undefined));
    if (value === undefined) continue;
    const shown = /Date$/.test(entry) ? pdfDate(value) : value;
    if (shown !== undefined) found[key] = shown;
  }
  if (options.language !== undefined) found.language = options.language;
  return found;
}

/** Returns a PDF date such as `D:20240131093000+01'00'` (ISO 32000-1, 7.9.4) as ISO 8601. */
function pdfDate(date: string): string | undefined {
  const fields = /^(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)(?:([+-]\d\d)'?(\d\d)?)?)?/.exec(date);
  // Some programs write ISO 8601, or the date of the operating system.
  if (!fields) return internetDate(date);
  const [, year, month, day, hour, minute, second, offsetHours, offsetMinutes = "00"] = fields;
  const time = hour === undefined ? "" : `T${hour}:${minute}:${second}`;
  return isoDate(
    `${year}-${month}-${day}${time}${offsetHours === undefined ? "" : `${offsetHours}:${offsetMinutes}`}`,
  );
}

/**
 * Returns the language of the catalog (ISO 32000-1, 14.9.2), where it is not compressed. Neither parser tells it.
 */
export function readLanguage(bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder("latin1");
  const parts = [bytes.subarray(0, CATALOG_BYTES), bytes.subarray(Math.max(0, bytes.length - CATALOG_BYTES))];
  for (const part of parts) {
    const tag = /\/Type\s*\/Catalog\b[^]{0,600}?\/Lang\s*\(([^()\\]{2,35})\)/.exec(decoder.decode(part)) ??
      /\/Lang\s*\(([^()\\]{2,35})\)[^<>]{0,300}\/Type\s*\/Catalog\b/.exec(decoder.decode(part));
    const language = tag?.[1]?.replace(/^\xfe\xff|\0/g, "");
    if (language !== undefined && /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}$/i.test(language)) return language;
  }
  return undefined;
}
