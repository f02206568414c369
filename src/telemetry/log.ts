import { type Fields, formatEvent, LEVELS, type LogFormat, type LogLevel } from "./log_format.ts";
import { standardError } from "./log_output.ts";
import { currentRequest } from "./request_scope.ts";

/** Writes events. `event` is a fixed phrase ("engine unreachable"); variable values go into `fields`. */
export interface Logger {
  /**
   * Minimum level of the events that it writes, so that the fields of others need not be built.
   *
   * @default {"debug"}
   */
  readonly level?: LogLevel;
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

/** Options of {@linkcode createLogger}. */
export interface LoggerOptions {
  /**
   * Format of the lines.
   *
   * @default {"text"}
   */
  readonly format?: LogFormat;
  /**
   * Writes a line; it has no newline at its end. `describeDropped` returns a line about the number of earlier ones
   * that were dropped.
   *
   * @default standard error, in the background; lines that it does not accept are dropped
   */
  readonly write?: (line: string, describeDropped: (lines: number) => string) => void;
}

/**
 * Returns a logger that writes one line per event: `TIME LEVEL event key=value …`, or a JSON object with `time`,
 * `level`, `event` and the fields. An event that belongs to a request ends with its `request_id`.
 *
 * @param level Minimum level.
 *
 * @example
 * ```ts
 * import { createLogger } from "./log.ts";
 * import { assertMatch } from "@std/assert";
 * const lines: string[] = [];
 * const write = (line: string) => lines.push(line);
 * createLogger("info", { write }).warn("disk is filling up", { free_bytes: 12 });
 * createLogger("info", { write, format: "json" }).warn("disk is filling up", { free_bytes: 12 });
 * assertMatch(lines[0]!, /WARN  disk is filling up free_bytes=12$/);
 * assertMatch(lines[1]!, /"level":"warn","event":"disk is filling up","free_bytes":12}$/);
 * ```
 */
export function createLogger(
  level: LogLevel,
  { format = "text", write = (...line) => standardError.write(...line) }: LoggerOptions = {},
): Logger {
  const minimum = LEVELS.indexOf(level);
  const at = (level: Exclude<LogLevel, "silent">) => {
    if (LEVELS.indexOf(level) < minimum) return () => {};
    return (event: string, fields: Fields = {}) => {
      const requestId = currentRequest()?.id;
      const time = new Date().toISOString();
      const all = requestId === undefined ? fields : { ...fields, request_id: requestId };
      write(
        formatEvent({ time, level, event, fields: all }, format),
        (lines) =>
          formatEvent({ time, level: "warn", event: "dropped log lines", fields: { lines } }, format),
      );
    };
  };
  return { level, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** A logger that writes nothing. */
export const silentLogger: Logger = createLogger("silent");
