/** Levels, least first; `silent` logs nothing. */
const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
/** One of the levels that `KB_LOG_LEVEL` takes. */
export type LogLevel = (typeof LEVELS)[number];

/** What an event is about: short values; an Error is logged as its message and causes. */
export type Fields = Record<string, unknown>;

/** Writes events. `event` is a fixed phrase ("engine unreachable"); what varies goes into `fields`. */
export interface Logger {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

/**
 * A logger that writes `TIME LEVEL event key=value …` lines.
 *
 * @param level Least level written.
 * @param write Takes one line without its newline. Default: standard error.
 *
 * @example
 * ```ts
 * import { createLogger } from "./log.ts";
 * import { assertMatch } from "@std/assert";
 * const lines: string[] = [];
 * createLogger("info", (line) => lines.push(line)).warn("disk is filling up", { free_bytes: 12 });
 * assertMatch(lines[0]!, /WARN  disk is filling up free_bytes=12$/);
 * ```
 */
export function createLogger(level: LogLevel, write: (line: string) => void = writeToStderr): Logger {
  const least = LEVELS.indexOf(level);
  const at = (index: number, label: string) => (event: string, fields: Fields = {}) => {
    if (index >= least) write(`${new Date().toISOString()} ${label} ${event}${formatFields(fields)}`);
  };
  return { debug: at(0, "DEBUG"), info: at(1, "INFO "), warn: at(2, "WARN "), error: at(3, "ERROR") };
}

/** A logger that writes nothing. */
export const silentLogger: Logger = createLogger("silent");

function formatFields(fields: Fields): string {
  let line = "";
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${key}=${formatValue(value)}`;
  }
  return line;
}

function formatValue(value: unknown): string {
  const plain = value instanceof Error
    ? describeError(value)
    : typeof value === "string"
    ? value
    : JSON.stringify(value);
  // Quoting whatever is not plain keeps one event on one line, also when the value comes from a hostile client.
  return /^[\w.:/@+-]+$/.test(plain) ? plain : JSON.stringify(plain);
}

function describeError(error: Error): string {
  const parts: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && parts.length < 5; cause = cause.cause) {
    parts.push(`${cause.name}: ${cause.message}`);
  }
  return parts.join(" <- ");
}

const encoder = new TextEncoder();

function writeToStderr(line: string): void {
  Deno.stderr.writeSync(encoder.encode(line + "\n"));
}
