/**
 * Classifies errors of `fetch` and `Deno.connect`. Deno reports the phase that failed only in the error's
 * text, in hyper's words, somewhere in the chain of causes: "client error (Connect): …" before anything was
 * sent, "client error (SendRequest): …" afterwards. The tests compare these phrases with real failures.
 */

interface FetchErrorText {
  /** Phase that failed: `Connect`, `SendRequest` and others. Undefined outside `fetch`. */
  readonly phase: string | undefined;
  /** Text after the phase. The text before it contains the URL, which could hold any words. */
  readonly words: string;
}

function parse(error: unknown): FetchErrorText {
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error && texts.length < 8; cause = cause.cause) {
    texts.push(`${cause.name}: ${cause.message}`);
  }
  const text = texts.join("\n");
  const match = /client error \((\w+)\)(.*)/s.exec(text);
  return { phase: match?.[1], words: match?.[2] ?? text };
}

/** Reasons to complete "unreachable (…)". The first match wins. */
const CONNECT_REASONS: readonly (readonly [RegExp, string])[] = [
  [/connection ?refused/i, "connection refused"],
  [
    /dns error|lookup address|no such host|name or service not known|nodename nor servname/i,
    "name not found",
  ],
  [/no route to host|(?:network|host) is ?unreachable|(?:network|host)unreachable/i, "no route to host"],
  [/certificate|UnknownIssuer|InvalidContentType|handshake/i, "TLS handshake failed"],
  [/requests to port \d+ are blocked/i, "HTTP clients block this port"],
];

/** Returns why connecting failed, or undefined if something may have been sent. */
export function connectFailure(error: unknown): string | undefined {
  const { phase, words } = parse(error);
  // After connecting, the same words may come from anywhere.
  if (phase !== undefined && phase !== "Connect") return undefined;
  const reason = CONNECT_REASONS.find(([pattern]) => pattern.test(words))?.[1];
  return reason ?? (phase === "Connect" ? "connection failed" : undefined);
}

/** Whether the connection closed before a response arrived. */
export function isConnectionLost(error: unknown): boolean {
  const { phase, words } = parse(error);
  return phase !== undefined || /connection (?:was )?(?:closed|reset|aborted)|broken pipe/i.test(words);
}

/** Whether the other side does not speak HTTP. */
export function isNotHttp(error: unknown): boolean {
  const { phase, words } = parse(error);
  return phase === "SendRequest" && /\bparsed?\b|\bparsing\b|invalid HTTP/i.test(words);
}
