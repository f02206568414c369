import type { AnswerStream } from "./answer_stream.ts";

/** What to answer over HTTP. */
export interface Answer {
  readonly status: 200 | 202 | 400 | 404;
  /** JSON text; an answer that has only begun; or null for no body. */
  readonly body: string | AnswerStream | null;
  /** Names the session to a client that initializes (MCP 2025-11-25, Session Management). */
  readonly sessionId?: string;
}

/** A notification was taken. */
export const ACCEPTED: Answer = { status: 202, body: null };
