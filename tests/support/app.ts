import { type App, type AppOptions, createApp } from "../../src/http/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";

/** Creates the HTTP application without restrictions on callers: any host, no token, no web pages. */
export function createTestApp(
  options:
    & Pick<AppOptions, "dispatcher" | "uploads" | "maxBodyBytes" | "maxConcurrent">
    & Partial<AppOptions>,
): App {
  return createApp({
    log: silentLogger,
    tokens: [],
    isAllowedHost: () => true,
    isAllowedOrigin: () => false,
    bodyTimeoutMs: 60_000,
    publicUrl: undefined,
    checkReadiness: () => Promise.resolve("ready"),
    ...options,
  });
}
