/** Levels in ascending order; `silent` logs nothing. */
const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
/** Value of `KB_LOG_LEVEL`. */
export type LogLevel = (typeof LEVELS)[number];

/** Maximum length of the message of an error, in characters. A library may quote its whole input in it. */
const MAX_ERROR_CHARS = 2000;

/** Details of an event: short values. An Error is logged with its message and causes. */
export type Fields = Record<string, unknown>;

/** Writes events. `event` is a fixed phrase ("engine unreachable"); variable values go into `fields`. */
export interface Logger {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

/**
 * Returns a logger that writes lines of the form `TIME LEVEL event key=value …`.
 *
 * @param level Minimum level.
 * @param write Writes a line; it has no newline at its end. Default: standard error.
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
  const minimum = LEVELS.indexOf(level);
  const at = (index: number, label: string) => (event: string, fields: Fields = {}) => {
    if (index >= minimum) write(`${new Date().toISOString()} ${label} ${event}${formatFields(fields)}`);
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
  // Quoting keeps an event on one line, even if a value comes from a hostile client.
  return /^[\w.:/@+-]+$/.test(plain) ? plain : escapeHidden(JSON.stringify(plain));
}

/**
 * Escapes what JSON leaves as it is and a terminal obeys or hides: C1 and bidirectional controls, invisible
 * characters.
 */
function escapeHidden(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

function describeError(error: Error): string {
  const parts: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && parts.length < 5; cause = cause.cause) {
    const { name, message } = cause;
    parts.push(
      `${name}: ${message.length > MAX_ERROR_CHARS ? `${message.slice(0, MAX_ERROR_CHARS)}…` : message}`,
    );
  }
  return parts.join(" <- ");
}

const encoder = new TextEncoder();

function writeToStderr(line: string): void {
  Deno.stderr.writeSync(encoder.encode(line + "\n"));
}
