import type { Config } from "../config/mod.ts";
import type { FetcherOptions } from "../crawler/mod.ts";
import { NAME, VERSION } from "../version.ts";

/** Returns how pages of the web are fetched. */
export function fetcherOptions(config: Config): FetcherOptions {
  return {
    userAgent: `${NAME}/${VERSION}`,
    allowedHosts: config.KB_FETCH_ALLOWED_HOSTS,
    maxBytes: config.KB_FETCH_MAX_BYTES,
    timeoutMs: config.KB_FETCH_TIMEOUT,
    delayMs: config.KB_FETCH_DELAY,
  };
}
