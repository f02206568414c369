/** A recorded HTTP request. */
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
