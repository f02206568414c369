import type { VaultDocument } from "./document.ts";

/** Fields of front matter with the date of the last change, and of the creation, most specific first. */
const CHANGED_FIELDS = ["updated", "modified", "last_modified", "lastmod", "date_modified"];
const CREATED_FIELDS = ["date", "created", "published", "date_created"];

/** A date at the start of a text. */
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:$|[^\d])/;

/**
 * Returns the day of a document such as `2026-03-31`: a date of change in its front matter, the day on which the
 * engine saw it change, a date of creation in the front matter or file name, or the day of its ingestion.
 *
 * Front matter comes first, because a folder that is added, copied or cloned has new times everywhere.
 */
export function dayOf(document: VaultDocument): string | undefined {
  const { metadata, changedAt, hasChanged, path } = document;
  const known = changedAt?.slice(0, 10);
  return dateIn(metadata, CHANGED_FIELDS) ?? (hasChanged ? known : undefined) ??
    dateIn(metadata, CREATED_FIELDS) ?? validDate(path.slice(path.lastIndexOf("/") + 1)) ?? known;
}

function dateIn(metadata: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const date = validDate(metadata[name]);
    if (date !== undefined) return date;
  }
  return undefined;
}

function validDate(value: unknown): string | undefined {
  const date = typeof value === "string" ? DATE.exec(value)?.[0].slice(0, 10) : undefined;
  return date !== undefined && !Number.isNaN(Date.parse(date)) ? date : undefined;
}

/** Returns the number of days from one day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.floor((Date.parse(to) - Date.parse(from)) / 86_400_000);
}
