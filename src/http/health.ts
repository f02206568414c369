import { NAME, VERSION } from "../version.ts";

/** Asks whether the engine can be reached; resolves to null, or to why it cannot, within a bounded time. */
export type ReadinessCheck = () => Promise<string | null>;

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
  let last: { at: number; problem: Promise<string | null> } | undefined;
  return async (): Promise<Response> => {
    if (isDraining()) return json(503, { status: "draining" });
    if (!last || now() - last.at >= READINESS_TTL_MS) last = { at: now(), problem: check() };
    const problem = await last.problem;
    return problem === null
      ? json(200, { status: "ready" })
      : json(503, { status: "engine unreachable", problem });
  };
}

function json(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
