/**
 * Reads what `fetch` and `Deno.connect` threw. Deno says which phase failed only in the error's text, as hyper
 * words it, somewhere along the chain of causes: "client error (Connect): …" before anything was sent,
 * "client error (SendRequest): …" after. The tests hold these phrases to real failures.
 */

interface Told {
  /** Phase of a request that failed: `Connect`, `SendRequest` and others; undefined outside of `fetch`. */
  readonly phase: string | undefined;
  /** The text without what stands before the phase, for that has the URL in it, whose words may be any. */
  readonly words: string;
}

function told(error: unknown): Told {
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error && texts.length < 8; cause = cause.cause) {
    texts.push(`${cause.name}: ${cause.message}`);
  }
  const text = texts.join("\n");
  const match = /client error \((\w+)\)(.*)/s.exec(text);
  return { phase: match?.[1], words: match?.[2] ?? text };
}

/** What completes "unreachable (…)", by the words of the failure; the first that fits. */
const CONNECT_REASONS: readonly (readonly [RegExp, string])[] = [
  [/connection ?refused/i, "connection refused"],
  [
    /dns error|lookup address|no such host|name or service not known|nodename nor servname/i,
    "name not found",
  ],
  [/no route to host|(?:network|host) is ?unreachable|(?:network|host)unreachable/i, "no route to host"],
  [/certificate|UnknownIssuer|InvalidContentType|handshake/i, "TLS handshake failed"],
  [/requests to port \d+ are blocked/i, "its port is one that HTTP clients refuse"],
];

/** Why no connection came about, or undefined when the failure does not say that nothing was sent. */
export function connectFailure(error: unknown): string | undefined {
  const { phase, words } = told(error);
  // The same words may come from anywhere once there is a connection.
  if (phase !== undefined && phase !== "Connect") return undefined;
  const reason = CONNECT_REASONS.find(([pattern]) => pattern.test(words))?.[1];
  return reason ?? (phase === "Connect" ? "connection failed" : undefined);
}

/** Whether the connection ended before the answer came. */
export function isConnectionLost(error: unknown): boolean {
  const { phase, words } = told(error);
  return phase !== undefined || /connection (?:was )?(?:closed|reset|aborted)|broken pipe/i.test(words);
}

/** Whether what answered does not speak HTTP. */
export function isNotHttp(error: unknown): boolean {
  const { phase, words } = told(error);
  return phase === "SendRequest" && /\bparsed?\b|\bparsing\b|invalid HTTP/i.test(words);
}
