import { Id } from "../contract/mod.ts";
import { quoteText } from "../text/mod.ts";
import { SCHEME } from "../tools/mod.ts";
import { fold } from "./completion.ts";
import { ResourceNotFoundError } from "./define.ts";

/** Resource that a URI names. */
export type Target =
  | { readonly type: "status" }
  | { readonly type: "collection"; readonly name: string }
  | { readonly type: "document"; readonly id: string }
  | { readonly type: "chunk"; readonly id: string; readonly index: number };

/** URI templates of all resources; every error lists them. */
export const TEMPLATES = {
  status: `${SCHEME}status`,
  collection: `${SCHEME}collections/{name}`,
  document: `${SCHEME}documents/{id}`,
  chunk: `${SCHEME}documents/{id}/chunks/{n}`,
} as const;

/** Maximum length of a URI, far more than any id or name needs. */
const MAX_URI_CHARS = 4_000;
/** Maximum length of a URI in an error message. */
const MAX_SHOWN_CHARS = 200;
/** Maximum length of the title in a readable id, in UTF-16 code units. */
const MAX_SLUG_CHARS = 60;

/**
 * Parses a URI (RFC 3986). The scheme and the segment after `//`, which is the authority, are
 * case-insensitive (§6.2.2.1). A readable id (`12~quarterly-report`) is returned unchanged.
 *
 * @throws {ResourceNotFoundError} For a URI that matches none of {@linkcode TEMPLATES}.
 */
export function parseUri(uri: string): Target {
  const fail = (reason: string): never => {
    throw new ResourceNotFoundError(
      uri,
      `There is no resource at ${quoteText(uri, MAX_SHOWN_CHARS)}: ${reason}. Resources: ${
        Object.values(TEMPLATES).join(", ")
      }.`,
    );
  };
  if (uri.length > MAX_URI_CHARS) return fail(`it is longer than ${MAX_URI_CHARS} characters`);
  if (uri.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return fail(`it does not start with ${SCHEME}`);
  if (/[?#]/.test(uri)) return fail("it has a query or a fragment");
  const segments = uri.slice(SCHEME.length).split("/").map(decode);
  if (segments.includes(undefined)) return fail("its percent-encoding is malformed");
  if (segments.includes("")) return fail("its path has an empty segment");
  const [type, name = "", chunks, index = "", ...rest] = segments as string[];
  const depth = segments.length;
  switch (type?.toLowerCase()) {
    case "status":
      if (depth === 1) return { type: "status" };
      break;
    case "collections":
      if (depth === 2) return { type: "collection", name };
      break;
    case "documents": {
      if (depth !== 2 && (depth !== 4 || chunks !== "chunks" || rest.length > 0)) break;
      if (plainIds(name).length === 0) return fail("{id} is not a document id");
      if (depth === 2) return { type: "document", id: name };
      // One spelling for each number: not 01 or +1.
      if (!/^(?:0|[1-9]\d{0,8})$/.test(index)) return fail("{n} must be a whole number from 0");
      return { type: "chunk", id: name, index: Number(index) };
    }
  }
  return fail("its path is unknown");
}

/**
 * Returns an id followed by the title, for people to pick from a list: `12~quarterly-report`. Only the part
 * before `~` counts, so that the id stays valid when the title changes.
 */
export function readableId(id: Id, title: string): string {
  const slug = slugify(title);
  const plain = String(id);
  // In an id that contains "~" the slug would be ambiguous.
  return slug === "" || plain.includes("~") ? plain : `${plain}~${slug}`;
}

/**
 * Returns the possible ids of a readable id, most likely first: the part before the first `~`, then all of
 * it, because ids of third-party engines may contain `~`.
 */
export function plainIds(readable: string): readonly string[] {
  const tilde = readable.indexOf("~");
  const ids = tilde > 0 ? [readable.slice(0, tilde), readable] : [readable];
  return ids.filter((id) => Id.safeParse(id).success);
}

/** Keeps letters and digits of any script, and replaces everything else by single hyphens. */
function slugify(title: string): string {
  return fold(title).replace(/[^\p{L}\p{N}\p{M}]+/gu, "-").replace(/^-/, "").slice(0, MAX_SLUG_CHARS)
    // Truncation may leave a hyphen or half of a surrogate pair at the end.
    .replace(/[-\ud800-\udbff]$/, "");
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
