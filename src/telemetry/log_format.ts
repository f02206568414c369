/** Levels in ascending order; `silent` logs nothing. */
export const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
/** Value of `KB_LOG_LEVEL`. */
export type LogLevel = (typeof LEVELS)[number];

/** Details of an event: short values. An Error is logged with its message and causes. */
export type Fields = Record<string, unknown>;

/** Format of log lines: `text` for people, `json` for programs. */
export type LogFormat = "text" | "json";

/** An event to format. */
export interface LogEvent {
  /** Time as ISO 8601 in UTC. */
  readonly time: string;
  readonly level: Exclude<LogLevel, "silent">;
  /** Fixed phrase. */
  readonly event: string;
  readonly fields: Fields;
}

/** Maximum length of the message of an error, in characters. A library may quote its whole input in it. */
const MAX_ERROR_CHARS = 2000;

/** Members of every JSON line; a field of that name gets a suffix. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(["time", "level", "event"]);

/** Returns the line of an event, without a newline. */
export function formatEvent(event: LogEvent, format: LogFormat): string {
  return format === "json" ? formatJson(event) : formatText(event);
}

/** `TIME LEVEL event key=value …` */
function formatText({ time, level, event, fields }: LogEvent): string {
  let line = `${time} ${level.toUpperCase().padEnd(5)} ${event}`;
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${key}=${formatValue(value)}`;
  }
  return line;
}

/** One JSON object: the time, the level and the event, then the fields. */
function formatJson({ time, level, event, fields }: LogEvent): string {
  const line: Record<string, unknown> = { time, level, event };
  for (const [key, value] of Object.entries(fields)) {
    line[OWN_MEMBERS.has(key) ? `${key}_` : key] = value instanceof Error ? describeError(value) : value;
  }
  return escapeHidden(JSON.stringify(line), jsonEscape);
}

function formatValue(value: unknown): string {
  const plain = value instanceof Error
    ? describeError(value)
    : typeof value === "string"
    ? value
    : JSON.stringify(value);
  // Quoting keeps an event on one line, even if a value comes from a hostile client.
  return /^[\w.:/@+-]+$/.test(plain) ? plain : escapeHidden(JSON.stringify(plain), textEscape);
}

/**
 * Escapes what JSON leaves as it is and a terminal obeys or hides: C1 and bidirectional controls, invisible
 * characters.
 */
function escapeHidden(text: string, escape: (character: string) => string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escape);
}

function textEscape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Hidden characters occur in strings only, where JSON takes this form (RFC 8259 §7). */
function jsonEscape(character: string): string {
  let escaped = "";
  for (let i = 0; i < character.length; i++) {
    escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
  }
  return escaped;
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
