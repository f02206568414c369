import type { Uploads } from "./uploads.ts";

/** `PUT /uploads/{capability}`. Under construction: the signature is final. */
export function handleUploadPut(
  _request: Request,
  _uploads: Uploads,
  _capability: string,
  _options: { bodyTimeoutMs: number },
): Promise<Response> {
  throw new Error("not built yet");
}
