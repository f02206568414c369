import type { Progress } from "../tools/mod.ts";

/** Least time between two notifications of one call, in milliseconds. */
const LEAST_MS = 100;

/** The token under which a client wants to hear of progress (MCP, Progress). */
export type ProgressToken = string | number;

/** The parameters of `notifications/progress`. */
export type ProgressParams = Progress & { readonly progressToken: ProgressToken };

/** For a client that did not ask. */
const silent: (progress: Progress) => void = () => {};

/**
 * What a tool reports its progress to.
 *
 * @param token The client's; undefined: it did not ask.
 * @param signal Of the call; once it is aborted there is nobody to tell.
 * @param notify Sends `notifications/progress`; it may fail when the server is closing.
 */
export function progressOf(
  token: ProgressToken | undefined,
  signal: AbortSignal,
  notify: (params: ProgressParams) => Promise<void>,
): (progress: Progress) => void {
  if (token === undefined) return silent;
  return progressReporter(token, (params) => {
    if (!signal.aborted) notify(params).catch(() => {});
  });
}

/**
 * Turns what a tool reports into notifications: each says more than the one before (MCP: "The `progress` value MUST
 * increase with each notification"), and they are few (MCP: "Both parties SHOULD implement rate limiting").
 *
 * @param send Sends the parameters of one notification.
 * @param now The clock, in milliseconds.
 */
export function progressReporter(
  token: ProgressToken,
  send: (params: ProgressParams) => void,
  now: () => number = Date.now,
): (progress: Progress) => void {
  let last = -Infinity;
  let lastAt = -Infinity;
  return (report) => {
    const at = now();
    const isEnd = report.progress === report.total;
    if (!(report.progress > last) || (at - lastAt < LEAST_MS && !isEnd)) return;
    last = report.progress;
    lastAt = at;
    send({ progressToken: token, ...report });
  };
}
