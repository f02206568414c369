import type * as z from "zod";
import type { Id, Route, RouteName, routes } from "../contract/mod.ts";
import type { EngineError } from "./errors.ts";
import type { FileSource } from "./multipart.ts";

/** What a route answers with. */
export type Answer<Name extends RouteName> = z.output<(typeof routes)[Name]["answer"]>;

/** What a call sends beside its path; at most one of `json`, `fields` and `file` with its `fields`. */
export interface CallInput {
  readonly id?: Id;
  /** Fields of the query string; undefined ones are left out, arrays are repeated. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly fields?: FormData;
  readonly file?: FileSource;
}

/** A call on its way: what its error messages need to know of it. */
export interface Call {
  readonly name: RouteName;
  readonly route: Route;
  readonly id: Id | undefined;
  /** Path and query. */
  readonly path: string;
  /** Base URL of the engine. */
  readonly engine: string;
  /** Makes text that came from the engine fit for a message. */
  readonly clean: (text: string) => string;
}

/** How a call went. Inside the client failures are values, so that deciding on a retry needs no catching. */
export type Outcome<T> = { readonly value: T } | Failure;

/** A failed attempt. */
export interface Failure {
  readonly error: EngineError;
  /** Whether the same call may go better in a moment (only asked for calls that are safe to repeat). */
  readonly again: boolean;
}

/** The query string of a call, with its question mark; empty without fields. */
export function queryString(fields: Readonly<Record<string, unknown>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) params.append(name, String(item));
    }
  }
  return params.size === 0 ? "" : `?${params}`;
}

/** Longest text of an engine that is passed on, in characters. */
const MAX_FOREIGN_TEXT = 500;

/**
 * A function that makes text from the engine fit for people, models and logs: on one line, without characters that
 * steer terminals or turn the reading direction, short, and without the engine's key.
 */
export function cleaner(apiKey: string | undefined): (text: string) => string {
  return (text) => {
    const open = apiKey ? text.replaceAll(apiKey, "[key]") : text;
    const line = open.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
    return line.length <= MAX_FOREIGN_TEXT ? line : `${line.slice(0, MAX_FOREIGN_TEXT - 1).toWellFormed()}…`;
  };
}
