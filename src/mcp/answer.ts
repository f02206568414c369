import type { EventStream } from "./event_stream.ts";

/** What to answer over HTTP. */
export interface Answer {
  readonly status: 200 | 202 | 400 | 404;
  /** JSON text; a stream of events; or null for no body. */
  readonly body: string | EventStream | null;
  /** Names the session to a client that initializes (MCP 2025-11-25, Session Management). */
  readonly sessionId?: string;
}

/** A notification was taken. */
export const ACCEPTED: Answer = { status: 202, body: null };
