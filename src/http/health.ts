import { NAME, VERSION } from "../version.ts";

/** Checks whether the engine is reachable; resolves within a bounded time. */
export type ReadinessCheck = () => Promise<boolean>;

/** Time for which a readiness result is reused, in milliseconds: frequent probes must not load the engine. */
const READINESS_TTL_MS = 1000;

/** Options of {@linkcode readinessHandler}. */
export interface ReadinessOptions {
  readonly check: ReadinessCheck;
  /** Whether the server is shutting down. */
  readonly isDraining: () => boolean;
  /** Clock, in milliseconds. */
  readonly now?: () => number;
}

/** `GET /healthz`: the process runs. */
export function healthz(): Response {
  return json(200, { status: "ok" });
}

/** `GET /version`: name and version of the server. */
export function version(): Response {
  return json(200, { name: NAME, version: VERSION });
}

/** Returns the handler of `GET /readyz`: whether requests would succeed now. */
export function readinessHandler({ check, isDraining, now = Date.now }: ReadinessOptions) {
  let last: { at: number; isReady: Promise<boolean> } | undefined;
  return async (): Promise<Response> => {
    if (isDraining()) return json(503, { status: "draining" });
    if (!last || now() - last.at >= READINESS_TTL_MS) last = { at: now(), isReady: check() };
    // The reason names the engine's address, so it is logged and not sent: this route needs no token.
    return await last.isReady ? json(200, { status: "ready" }) : json(503, { status: "engine not ready" });
  };
}

function json(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
