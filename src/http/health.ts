import { NAME, VERSION } from "../version.ts";

/** Asks whether the engine can be called; resolves within a bounded time. */
export type ReadinessCheck = () => Promise<boolean>;

/** How long an answer of the readiness check is passed on before it is asked again, in milliseconds. */
const READINESS_TTL_MS = 1000;

/** `GET /healthz`: the process runs and answers. */
export function healthz(): Response {
  return json(200, { status: "ok" });
}

/** `GET /version`: what runs here. */
export function version(): Response {
  return json(200, { name: NAME, version: VERSION });
}

/**
 * `GET /readyz`: whether calls would succeed now: not draining, and the engine within reach. One check serves
 * everybody who asks within a second, so that probing cannot load the engine.
 */
export function readiness(check: ReadinessCheck, isDraining: () => boolean, now: () => number = Date.now) {
  let last: { at: number; ready: Promise<boolean> } | undefined;
  return async (): Promise<Response> => {
    if (isDraining()) return json(503, { status: "draining" });
    if (!last || now() - last.at >= READINESS_TTL_MS) last = { at: now(), ready: check() };
    // Anyone may ask, so what is wrong, which names the engine's address, is for the log alone.
    return await last.ready ? json(200, { status: "ready" }) : json(503, { status: "engine not ready" });
  };
}

function json(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
