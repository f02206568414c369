import * as z from "zod";
import { oneLine } from "../text/mod.ts";
import { VERSION } from "../version.ts";
import { fetchOnce } from "../web/mod.ts";
import { ExitError } from "./exit_status.ts";
import { rootCause } from "./healthcheck.ts";

/** Maximum size of a response in bytes. */
const MAX_RESPONSE_BYTES = 4 * 2 ** 20;

/** Latest revision in which a request needs no `_meta`; kb-mcp needs no session in any revision. */
const PROTOCOL_VERSION = "2025-11-25";

const RpcError = z.looseObject({ error: z.looseObject({ message: z.string() }) });
const FailedToolCall = z.looseObject({
  isError: z.literal(true),
  content: z.array(z.looseObject({ text: z.string() })),
});

/** Options of {@linkcode McpClient}. */
export interface McpClientOptions {
  /** URL of the MCP endpoint. */
  readonly url: string;
  /** Bearer token. */
  readonly key?: string | undefined;
  /** Product token of `User-Agent`; the server takes it for the name of the client. */
  readonly name: string;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

/** The server received the request and reports an error, such as for an unknown tool. */
export class McpError extends Error {
  override name = "McpError";
}

/** Sends single requests to a kb-mcp server, without a session. */
export class McpClient {
  readonly #options: McpClientOptions;

  constructor(options: McpClientOptions) {
    this.#options = options;
  }

  /**
   * Calls a tool and returns its structured content.
   *
   * @throws {McpError} When the server or the tool reports an error.
   * @throws {ExitError} When the server cannot be reached, or the content does not match the schema.
   */
  async callTool<Output>(
    name: string,
    args: Readonly<Record<string, unknown>>,
    schema: z.ZodType<Output>,
  ): Promise<Output> {
    const result = await this.request("tools/call", { name, arguments: args }, z.unknown());
    const failed = FailedToolCall.safeParse(result);
    if (failed.success) throw new McpError(failed.data.content.map(({ text }) => text).join("\n"));
    return this.#parse(z.object({ structuredContent: schema }), result).structuredContent;
  }

  /**
   * Sends a request and returns its result.
   *
   * @throws {McpError} When the server reports an error.
   * @throws {ExitError} When the server cannot be reached, or the result does not match the schema.
   */
  async request<Result>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    schema: z.ZodType<Result>,
  ): Promise<Result> {
    const message = parseMessage(await this.#post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })));
    const failed = RpcError.safeParse(message);
    if (failed.success) throw new McpError(failed.data.error.message);
    return this.#parse(z.object({ result: schema }), message).result;
  }

  #parse<T>(schema: z.ZodType<T>, value: unknown): T {
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw this.#unexpectedResponse();
    return parsed.data;
  }

  async #post(body: string): Promise<string> {
    const { url, key, name, signal } = this.#options;
    try {
      const response = await fetchOnce(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": PROTOCOL_VERSION,
          "user-agent": `${name}/${VERSION}`,
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body,
        // A redirect would carry the key to another address.
        redirect: "manual",
        signal,
      });
      if (response.ok) return await this.#readText(response);
      if (response.status === 401) throw new ExitError(1, keyRejected(url, await this.#readText(response)));
      await response.body?.cancel();
      throw new ExitError(1, `${url} returned status ${response.status}: check KB_MCP_URL`);
    } catch (error) {
      if (error instanceof ExitError) throw error;
      const reason = signal.aborted ? "no response in time" : rootCause(error as Error);
      throw new ExitError(1, `Cannot reach ${url}: ${reason}. Check that the server runs, and KB_MCP_URL`);
    }
  }

  async #readText({ body }: Response): Promise<string> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const chunk of body ?? []) {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) throw this.#unexpectedResponse();
      chunks.push(chunk);
    }
    return await new Blob(chunks).text();
  }

  #unexpectedResponse(): ExitError {
    return new ExitError(
      1,
      `${this.#options.url} returned an unexpected response: it must be the MCP endpoint of kb-mcp`,
    );
  }
}

/** Maximum length of a server's reason, in characters. */
const MAX_REASON_CHARS = 300;

/**
 * Returns the message about a response with status 401.
 *
 * @param body Its body, which says why: the key may be wrong, removed or expired.
 */
export function keyRejected(url: string, body: string): string {
  const parsed = RpcError.safeParse(parseMessage(body));
  const reason = parsed.success ? oneLine(parsed.data.error.message, MAX_REASON_CHARS) : "";
  const advice = `${url} rejected the key: set KB_MCP_API_KEY to your key for the server`;
  return reason === "" ? advice : `${advice}. The server says: ${reason}`;
}

/**
 * Parses a response body: JSON, or a stream of events (MCP, Streamable HTTP), whose last message is the response.
 *
 * @returns Undefined if it is neither.
 */
function parseMessage(text: string): unknown {
  const data = /^(?:event|data|id|retry|):/.test(text)
    ? text.split(/\r?\n\r?\n/).flatMap(eventData).at(-1)
    : text;
  try {
    return JSON.parse(data ?? "");
  } catch {
    return undefined;
  }
}

/** Returns the data of an event; none for a comment. */
function eventData(event: string): string[] {
  const lines = event.split(/\r?\n/).flatMap((line) => line.startsWith("data:") ? [line.slice(5)] : []);
  return lines.length > 0 ? [lines.join("\n")] : [];
}
