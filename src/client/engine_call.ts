import { type Id, pathFor, type Route, type RouteName, routes } from "../contract/mod.ts";
import { visibleText } from "../text/mod.ts";
import type { EngineError } from "./errors.ts";
import type { FileSource } from "./multipart.ts";
import type { ChangeOptions } from "./options.ts";

/** Parameters of a call. At most one of `json`, `fields` alone, and `file` with its `fields` is the body. */
export interface CallParameters {
  readonly id?: Id;
  /** Query string. Undefined values are omitted, arrays are repeated. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Condition and author of a change. */
  readonly change?: Pick<ChangeOptions, "ifVersion" | "actor">;
  readonly json?: unknown;
  readonly fields?: FormData;
  /** See `LocalRequest.today`. An engine over HTTP does not get it. */
  readonly today?: string;
  readonly file?: FileSource;
}

/** The engine that calls go to. */
export interface EngineAddress {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** The engine in messages, such as `engine at http://engine:8000`. */
  readonly name: string;
  /** Whether calls carry an API key. */
  readonly hasKey: boolean;
  /** Makes text from the engine safe for messages. See {@linkcode textSanitizer}. */
  readonly sanitize: (text: string, maxLength?: number) => string;
}

/** A call of one route, with the data that its error messages need. */
export interface EngineCall extends CallParameters {
  readonly name: RouteName;
  readonly route: Route;
  readonly engine: EngineAddress;
}

/** A complete response of any status. */
export interface EngineResponse {
  readonly status: number;
  /** Parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
  readonly contentType: string | null;
  /** The `Location` header. */
  readonly location: string | null;
  /** Delay that the `Retry-After` header requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the body is a value of an engine in this process, which follows the contract and must not be changed. */
  readonly isLocal?: boolean;
}

/** A failed attempt. Failures are values inside the client, so that deciding on a retry needs no `catch`. */
export interface FailedAttempt {
  readonly error: EngineError;
  /** Whether a retry may succeed, if the route is safe to repeat. */
  readonly isTransient: boolean;
}

/** Builds a call: resolves the route. */
export function engineCall(name: RouteName, parameters: CallParameters, engine: EngineAddress): EngineCall {
  return { ...parameters, name, route: routes[name], engine };
}

/** Returns the URL of a call: with the id in its path, and the query string. */
export function urlOf({ engine, route, id, query }: EngineCall): string {
  return engine.url + (id === undefined ? route.path : pathFor(route.path, id)) + queryString(query);
}

function queryString(fields: Readonly<Record<string, unknown>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) params.append(name, String(item));
    }
  }
  return params.size === 0 ? "" : `?${params}`;
}

/** Maximum length of engine text in a message, in UTF-16 code units. */
const MAX_MESSAGE_TEXT = 500;
/** Maximum length of engine text in the log, in UTF-16 code units. */
export const MAX_LOG_TEXT = 2_000;

/**
 * Returns a function that makes text from the engine safe for people, models and logs: one line, no control
 * or invisible characters, a bounded length, and no API key.
 */
export function textSanitizer(apiKey: string | undefined): EngineAddress["sanitize"] {
  return (text, maxLength = MAX_MESSAGE_TEXT) => {
    const visible = visibleText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")).trim();
    // Last, because invisible characters could divide the key.
    const line = apiKey ? visible.replaceAll(apiKey, "[key]") : visible;
    return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`;
  };
}
