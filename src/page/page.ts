import { type HttpRequest, TextResponse } from "../web/mod.ts";

/** Options of {@linkcode servePage}. */
export interface PageOptions {
  /** Name of a file of the page; undefined: the page itself. */
  readonly file?: string | undefined;
}

/**
 * Headers of all files.
 *
 * Threat: texts of documents that contain markup, and other sites that frame the page. Scripts and styles come from this
 * server only, whose other paths return JSON and plain text; nothing is sent to other hosts; and with Trusted Types no
 * script of the page can parse markup.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // Browsers ask with the ETag whether a file has changed, so that an updated server never runs with old scripts.
  "cache-control": "no-cache",
};

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** A file as it is sent. */
interface ServedFile {
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

let loading: Promise<ReadonlyMap<string, ServedFile>> | undefined;

/**
 * Serves the page and its files, with 304 for those that the browser has.
 *
 * @returns Undefined if the page has no such file.
 *
 * @example
 * ```ts
 * import { servePage } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const response = await servePage(new Request("http://127.0.0.1/"));
 * assertEquals(response?.headers.get("content-type"), "text/html; charset=utf-8");
 * assertEquals(await servePage(new Request("http://127.0.0.1/page/x.js"), { file: "x.js" }), undefined);
 * ```
 */
export async function servePage(
  request: Pick<HttpRequest, "headers">,
  { file = "index.html" }: PageOptions = {},
): Promise<Response | undefined> {
  const found = (await (loading ??= loadFiles())).get(file);
  if (found === undefined) return undefined;
  const { content, headers } = found;
  return hasTag(request.headers.get("if-none-match"), headers["etag"]!)
    ? new Response(null, { status: 304, headers })
    : new TextResponse(content, { headers });
}

/** Whether a browser sent a request, which names HTML in `Accept`; curl and most clients accept anything. */
export function acceptsPage(accept: string | null): boolean {
  const range = accept?.split(",").map((each) => each.trim().toLowerCase())
    .find((each) => each === "text/html" || each.startsWith("text/html;"));
  return range !== undefined && !/;\s*q=0(?:\.0{0,3})?\s*(?:;|$)/.test(range);
}

/** Loads the files, which take half a megabyte of memory, with the first request for one. */
async function loadFiles(): Promise<ReadonlyMap<string, ServedFile>> {
  const { FILES, INDEX } = await import("./files.ts");
  const files = [["index.html", INDEX], ...FILES] as const;
  return new Map(
    await Promise.all(files.map(async ([name, content]) => {
      const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
      const etag = `"${new Uint8Array(hash).toHex().slice(0, 32)}"`;
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)]!;
      // Of `/`, plain text is the other variant.
      const vary: Record<string, string> = name === "index.html" ? { vary: "accept" } : {};
      return [name, { content, headers: { ...HEADERS, ...vary, "content-type": type, etag } }] as const;
    })),
  );
}

/** Whether `If-None-Match` has a tag, by weak comparison (RFC 9110 §13.1.2). */
function hasTag(field: string | null, etag: string): boolean {
  if (field === null) return false;
  return field.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}
