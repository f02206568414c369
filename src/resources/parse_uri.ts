import { Id } from "../contract/mod.ts";
import { SCHEME } from "../tools/mod.ts";
import { ResourceNotFoundError } from "./define.ts";

/** What a URI names, as far as the URI alone can tell. */
export type Target =
  | { readonly kind: "status" }
  | { readonly kind: "collection"; readonly name: string }
  | { readonly kind: "document"; readonly id: string }
  | { readonly kind: "chunk"; readonly id: string; readonly index: number };

/** What there is to read; every refusal names it. */
export const FORMS = {
  status: `${SCHEME}status`,
  collection: `${SCHEME}collections/{name}`,
  document: `${SCHEME}documents/{id}`,
  chunk: `${SCHEME}documents/{id}/chunks/{n}`,
} as const;

/** No id or name of ours comes near it, percent-encoded or not. */
const MAX_URI_CHARS = 4_000;
/** How much of a URI a message repeats. */
const MAX_SHOWN_CHARS = 200;

/**
 * Reads a URI (RFC 3986). Its scheme and the part after `//`, which is an authority there, are the same in any case
 * (§6.2.2.1). A readable id (`12~quarterly-report`) stays as it is.
 *
 * @throws {ResourceNotFoundError} For anything that is not one of {@linkcode FORMS}.
 */
export function parseUri(uri: string): Target {
  const refuse = (why: string): never => {
    throw new ResourceNotFoundError(
      uri,
      `There is no resource at ${shown(uri)}: ${why}. What can be read: ${Object.values(FORMS).join(", ")}.`,
    );
  };
  if (uri.length > MAX_URI_CHARS) return refuse(`it is longer than ${MAX_URI_CHARS} characters`);
  if (uri.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return refuse(`it does not start with ${SCHEME}`);
  if (/[?#]/.test(uri)) return refuse("it has a query or a fragment");
  const segments = uri.slice(SCHEME.length).split("/").map(decode);
  if (segments.includes(undefined)) return refuse("its percent-encoding is malformed");
  if (segments.includes("")) return refuse("a part of its path is empty");
  const [kind, name = "", chunks, index = "", ...rest] = segments as string[];
  const depth = segments.length;
  switch (kind?.toLowerCase()) {
    case "status":
      if (depth === 1) return { kind: "status" };
      break;
    case "collections":
      if (depth === 2) return { kind: "collection", name };
      break;
    case "documents": {
      if (depth !== 2 && (depth !== 4 || chunks !== "chunks" || rest.length > 0)) break;
      if (readableIds(name).length === 0) return refuse("no document has such an id");
      if (depth === 2) return { kind: "document", id: name };
      // One spelling for each number: neither 01 nor +1, nor more than any document has.
      if (!/^(?:0|[1-9]\d{0,8})$/.test(index)) return refuse("{n} is a whole number from 0");
      return { kind: "chunk", id: name, index: Number(index) };
    }
  }
  return refuse("nothing has such a path");
}

/** A URI for a message: on one line, quoted, cut. */
function shown(uri: string): string {
  const cut = uri.length > MAX_SHOWN_CHARS ? `${uri.slice(0, MAX_SHOWN_CHARS)}…` : uri;
  return JSON.stringify(cut.toWellFormed());
}

/**
 * The ids that a readable id can mean, the likeliest first: what stands before the first `~`; then all of it, because
 * the ids of an engine from elsewhere may have a `~` in them.
 */
export function readableIds(text: string): readonly string[] {
  const tilde = text.indexOf("~");
  const ids = tilde > 0 ? [text.slice(0, tilde), text] : [text];
  return ids.filter((id) => Id.safeParse(id).success);
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
