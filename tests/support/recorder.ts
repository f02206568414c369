import {
  type LocalEngine,
  type LocalRequest,
  pathFor,
  type RouteName,
  routes,
} from "../../src/contract/mod.ts";

/** A recorded request. */
export interface RecordedCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** JSON value, form fields by name (files as text), or undefined without a body. */
  readonly body: unknown;
}

/** Handles HTTP requests. */
export type Handler = (request: Request) => Promise<Response> | Response;

/** Returns a handler that records every request before it calls `handler`. */
export function recording(calls: RecordedCall[], handler: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const { method, url, headers } = request;
    const bytes = await request.arrayBuffer();
    calls.push({
      method,
      url: new URL(url),
      headers: new Headers(headers),
      body: await parse(bytes, headers),
    });
    return await handler(
      new Request(url, { method, headers, ...(bytes.byteLength > 0 ? { body: bytes } : {}) }),
    );
  };
}

async function parse(bytes: ArrayBuffer, headers: Headers): Promise<unknown> {
  if (bytes.byteLength === 0) return undefined;
  const type = headers.get("content-type") ?? "";
  const body = new Response(bytes, { headers: { "content-type": type } });
  if (type.startsWith("application/json")) return await body.json();
  if (!type.startsWith("multipart/form-data")) return await body.text();
  const fields: Record<string, string[]> = {};
  for (const [name, value] of await body.formData()) {
    (fields[name] ??= []).push(typeof value === "string" ? value : await value.text());
  }
  return fields;
}

/** Returns an engine that records every call as an HTTP request, and freezes every response. */
export function recordingLocal(calls: RecordedCall[], engine: LocalEngine): LocalEngine {
  return {
    startTimer: (onTimeout, ms) => engine.startTimer(onTimeout, ms),
    async call(name, request) {
      calls.push(toRecordedCall(name, request));
      const response = await engine.call(name, request);
      return deepFreeze(response);
    },
  };
}

function toRecordedCall(
  name: RouteName,
  { id, query, json, fields, ifVersion, actor }: LocalRequest,
): RecordedCall {
  const { method, path } = routes[name];
  const url = new URL(id === undefined ? path : pathFor(path, id), "http://embedded");
  for (const [field, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) url.searchParams.append(field, String(value));
  }
  const headers = new Headers();
  if (ifVersion !== undefined) headers.set("if-match", `"${ifVersion}"`);
  if (actor !== undefined) headers.set("x-kb-actor", encodeURIComponent(actor));
  const form = fields && Object.groupBy([...fields], ([field]) => field);
  const body = form
    ? Object.fromEntries(
      Object.entries(form).map(([field, entries = []]) => [field, entries.map(([, text]) => text)]),
    )
    : json === undefined
    ? undefined
    : JSON.parse(JSON.stringify(json));
  return { method, url, headers, body };
}

/** Responses may be shared by requests: a change of one must fail. Bytes cannot be frozen. */
function deepFreeze<T>(value: T): T {
  const isFinal = typeof value !== "object" || value === null || Object.isFrozen(value);
  if (isFinal || ArrayBuffer.isView(value)) return value;
  for (const each of Object.values(value)) deepFreeze(each);
  return Object.freeze(value);
}
