/** Whether a client reads a stream of events as an answer; one that does not is answered JSON and hears of no progress. */
export function readsEvents(headers: Pick<Headers, "get">): boolean {
  const accept = headers.get("accept");
  return accept !== null && /\btext\/event-stream\b|\btext\/\*|(?:^|,)\s*\*\/\*/i.test(accept);
}
