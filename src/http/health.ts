import { NAME, VERSION } from "../version.ts";
import { jsonResponse } from "../web/mod.ts";

/**
 * Whether requests would succeed now, and why not. Sent to probes, which have no token, so a value reveals
 * neither addresses nor paths.
 */
export type Readiness =
  | "ready"
  /** The engine does not respond, or rejects this server. */
  | "engine not ready"
  /** The engine answers searches and rejects changes. */
  | "read_only"
  /** The engine's disk is full: it answers searches and rejects changes. */
  | "storage_full"
  /** The engine found its data damaged. */
  | "storage_damaged"
  /** The engine cannot store anything until it is restarted. */
  | "writer_failed";

/** Checks the engine; resolves within a bounded time. */
export type ReadinessCheck = () => Promise<Readiness>;

/** Time for which a readiness result is reused, in milliseconds: frequent probes must not load the engine. */
const READINESS_TTL_MS = 1000;

/** Options of {@linkcode readinessHandler}. */
export interface ReadinessOptions {
  readonly check: ReadinessCheck;
  /** Whether the server is shutting down. */
  readonly isDraining: () => boolean;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Returns the handler of `GET /healthz`: whether the process runs, and a restart would not help it. */
export function livenessHandler(needsRestart: () => boolean): () => Response {
  return () => needsRestart() ? json(503, { status: "writer_failed" }) : json(200, { status: "ok" });
}

/** `GET /version`: name and version of the server. */
export function version(): Response {
  return json(200, { name: NAME, version: VERSION });
}

/** Returns the handler of `GET /readyz`: whether requests would succeed now. */
export function readinessHandler(
  { check, isDraining, now = () => performance.now() }: ReadinessOptions,
): () => Promise<Response> {
  let last: { at: number; readiness: Promise<Readiness> } | undefined;
  return async (): Promise<Response> => {
    if (isDraining()) return json(503, { status: "draining" });
    if (!last || now() - last.at >= READINESS_TTL_MS) last = { at: now(), readiness: check() };
    const status = await last.readiness;
    return json(status === "ready" ? 200 : 503, { status });
  };
}

function json(status: number, body: unknown): Response {
  return jsonResponse(body, { status, headers: { "cache-control": "no-store" } });
}
