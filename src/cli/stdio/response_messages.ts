/** A response of an MCP server is larger than the limit. */
export class ResponseSizeError extends Error {
  override name = "ResponseSizeError";
}

/**
 * Yields the JSON texts in the body of a response of Streamable HTTP: one of `application/json`, each event of
 * `text/event-stream` as it arrives, none of an empty body.
 *
 * @param options.maxChars Maximum length of one text, in UTF-16 code units.
 * @throws {ResponseSizeError} When a text is longer.
 */
export async function* responseMessages(
  response: Response,
  { maxChars }: { maxChars: number },
): AsyncGenerator<string> {
  const { body, headers } = response;
  if (!body) return;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    rest += text;
    if (isStream) {
      const events = rest.split(/\r?\n\r?\n/);
      rest = events.pop() ?? "";
      for (const event of events) yield* eventData(event);
    }
    if (rest.length > maxChars) {
      throw new ResponseSizeError(`The response is longer than ${maxChars} characters`);
    }
  }
  if (isStream) yield* eventData(rest);
  // Servers keep an idle connection open with white space.
  else if (rest.trim() !== "") yield rest.trim();
}

/** Returns the data of an event; none for a comment or an event without data. */
function eventData(event: string): string[] {
  const lines = event.split(/\r?\n/).flatMap((line) =>
    line.startsWith("data:") ? [line.slice(5).trimStart()] : []
  );
  const data = lines.join("\n");
  return data === "" ? [] : [data];
}
