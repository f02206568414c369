import { refuse } from "../refusal.ts";

/** 405: no stream to GET and no session to DELETE (MCP 2025-11-25, Transports; 2026-07-28, Streamable HTTP). */
export function methodGuard(request: Request): Response | undefined {
  if (request.method === "POST") return undefined;
  return refuse(405, `Method ${request.method} not allowed: send JSON-RPC messages by POST`, {
    headers: { allow: "POST, OPTIONS" },
  });
}

/** 415: the body is JSON, as it is. Refusing other types also keeps simple cross-site form posts out. */
export function contentTypeGuard(request: Request): Response | undefined {
  const type = request.headers.get("content-type");
  if (type === "application/json" || (type !== null && /^application\/json\s*(?:;|$)/i.test(type.trim()))) {
    return undefined;
  }
  return refuse(415, "Unsupported media type: Content-Type must be application/json");
}

/** 415: a body that could not be read because it is compressed. Bodies that can be read need no such look. */
export function contentEncodingGuard(request: Request): Response | undefined {
  if (!request.headers.has("content-encoding")) return undefined;
  return refuse(415, "Unsupported content encoding: send the body as it is, without Content-Encoding");
}

/** 406: most answers are JSON, streams are extra. A client that names no type, or any, can read that too. */
export function acceptGuard(request: Request): Response | undefined {
  const accept = request.headers.get("accept");
  if (accept === null || accept.includes("application/json") || acceptsAny(accept)) return undefined;
  return refuse(406, "Not acceptable: Accept must list application/json and text/event-stream");
}

function acceptsAny(accept: string): boolean {
  return /(?:^|,)\s*(?:\*|application)\/\*\s*(?:;|,|$)/i.test(accept) || /application\/json/i.test(accept);
}
