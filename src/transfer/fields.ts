import { isCollectionTag } from "../contract/mod.ts";

/** An object of another program's JSON, whose fields can have any type. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns an object, or an empty one for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Fields : {};
}

/** Returns a text that is not blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Returns a list, or an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Maximum length of a title in UTF-16 code units. */
const MAX_TITLE_CHARS = 300;

/** Returns a title of one line, or undefined for a blank one. */
export function titleOf(value: unknown): string | undefined {
  // deno-lint-ignore no-control-regex -- removes control characters
  const line = (textOf(value) ?? "").toWellFormed().replace(/[\s\u0000-\u001f\u007f-\u009f\ufffd]+/g, " ")
    .trim();
  return line.slice(0, MAX_TITLE_CHARS).replace(/[\ud800-\udbff]$/, "").trim() || undefined;
}

/** Maximum number of tags of an imported document. */
const MAX_TAGS = 64;
/** Maximum length of a tag in UTF-16 code units. */
const MAX_TAG_CHARS = 200;

/** Returns the valid tags of a list, or of a text with commas, without `#`. Collections are left out. */
export function tagsOf(value: unknown): string[] {
  const listed = typeof value === "string" ? value.split(",") : listOf(value);
  const tags = new Set<string>();
  for (const item of listed) {
    if (typeof item !== "string" && typeof item !== "number") continue;
    const tag = toTag(String(item));
    if (tag !== "" && !isCollectionTag(tag) && tags.size < MAX_TAGS) tags.add(tag);
  }
  return [...tags];
}

function toTag(text: string): string {
  // deno-lint-ignore no-control-regex -- tags have no control characters
  const printable = text.trim().replace(/^#/, "").toWellFormed().replace(/[\u0000-\u001f\u007f]+/g, " ");
  return printable.trim().slice(0, MAX_TAG_CHARS).replace(/[\ud800-\udbff]$/, "").trim();
}

/** Returns an object without undefined and null values; undefined if nothing remains. */
export function metadataOf(fields: Fields): Record<string, unknown> | undefined {
  const entries = Object.entries(fields).filter(([, value]) =>
    value !== undefined && value !== null && value !== ""
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Returns text as a fenced code block, whose fence is longer than any in the text. */
export function codeBlock(text: string, language = ""): string {
  let longest = 2;
  for (const [fence] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, fence.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${/^[\w+-]{1,30}$/.test(language) ? language : ""}\n${text.replace(/\n$/, "")}\n${fence}`;
}
