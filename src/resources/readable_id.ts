import type { Id } from "../contract/mod.ts";
import { fold } from "./match.ts";

/** Longest slug, in UTF-16 code units: long enough to tell titles apart. */
const MAX_SLUG_CHARS = 60;

/**
 * An id with a title behind it, as a person picks it from a list: `12~quarterly-report`. Reading takes what stands
 * before the `~`, so that a title may change and the old form still works.
 */
export function readableId(id: Id, title: string): string {
  const slug = slugOf(title);
  const plain = String(id);
  // With a "~" of its own the id could no longer be told from the slug.
  return slug === "" || plain.includes("~") ? plain : `${plain}~${slug}`;
}

/** Letters and digits of any script, the rest as single hyphens. */
function slugOf(title: string): string {
  return fold(title).replace(/[^\p{L}\p{N}\p{M}]+/gu, "-").replace(/^-/, "").slice(0, MAX_SLUG_CHARS)
    // The cut may leave a hyphen or half of a surrogate pair.
    .replace(/[-\ud800-\udbff]$/, "");
}
