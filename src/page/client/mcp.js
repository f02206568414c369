/**
 * The client of the server that has sent this page: MCP 2026-07-28, one request per call. What the page can do is what
 * its tools allow for the key, and nothing else.
 */
import { key } from "./session.js";

const VERSION = "2026-07-28";
const CLIENT = { name: "kb-mcp page", version: "1" };
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": CLIENT,
};
/** Maximum number of pages of `tools/list`. */
const MAX_PAGES = 20;

/**
 * A tool, as `tools/list` describes it.
 *
 * @typedef {{ name: string, inputSchema?: { properties?: Record<string, unknown> } }} Tool
 */

/**
 * Output of a tool: parsed JSON, of which each view reads the fields that it knows.
 *
 * @typedef {Record<string, any>} Output
 */

/** A call failed; the message is for the person at the page. */
export class CallError extends Error {
  name = "CallError";
}

/** The person closed the dialog that asks for the key. */
export class NoKeyError extends Error {
  name = "NoKeyError";
  constructor() {
    super("The server needs a key.");
  }
}

/** @type {(reason: string) => Promise<void>} Asks for the key and keeps it; rejects with a NoKeyError. */
let askForKey = () => Promise.reject(new NoKeyError());
/** @type {Promise<void> | undefined} Calls that fail at the same time ask once. */
let asking;
let lastRequest = 0;

/** @param {(reason: string) => Promise<void>} ask */
export function onKeyNeeded(ask) {
  askForKey = ask;
}

/**
 * Calls a tool and returns its output.
 *
 * @param {string} name
 * @param {Record<string, unknown>} input Members that are undefined or "" are left out.
 * @param {{ signal?: AbortSignal | undefined }} [options]
 * @returns {Promise<Output>}
 * @throws {CallError | NoKeyError | DOMException}
 */
export async function call(name, input, { signal } = {}) {
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== "");
  const result = await send("tools/call", { name, arguments: Object.fromEntries(given) }, signal);
  if (result.isError) {
    throw new CallError(
      reasonOf(result.content?.[0]?.text) ?? `The call of ${name} failed without a reason.`,
    );
  }
  return result.structuredContent ?? {};
}

/**
 * Returns the text of a failed call. That of one which the key does not allow is JSON with a message.
 *
 * @param {string | undefined} text
 */
function reasonOf(text) {
  if (!text?.startsWith('{"outcome":"denied"')) return text;
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text;
  }
}

/**
 * Lists the tools that the key may call.
 *
 * @returns {Promise<Map<string, Tool>>}
 */
export async function listTools() {
  /** @type {Map<string, Tool>} */
  const tools = new Map();
  /** @type {string | undefined} */
  let cursor;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await send("tools/list", cursor === undefined ? {} : { cursor });
    for (const tool of result.tools ?? []) tools.set(tool.name, tool);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

/**
 * Sends a request; after 401, asks for the key and repeats it.
 *
 * @param {string} method
 * @param {Record<string, unknown>} params
 * @param {AbortSignal} [signal]
 * @returns {Promise<Output>}
 */
async function send(method, params, signal) {
  for (;;) {
    const used = key();
    const response = await post(method, params, used, signal);
    const body = await readJson(response);
    if (response.status !== 401 && response.status !== 429) return resultOf(body, response);
    // Another call may have got a key meanwhile.
    if (key() !== used) continue;
    const wrong = response.status === 429 ? "Too many wrong keys." : "The server does not accept this key.";
    asking ??= askForKey(used === undefined ? "" : wrong).finally(() => asking = undefined);
    await asking;
    signal?.throwIfAborted();
  }
}

/**
 * @param {string} method
 * @param {Record<string, unknown>} params
 * @param {string | undefined} token
 * @param {AbortSignal} [signal]
 */
async function post(method, params, token, signal) {
  const headers = new Headers({
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
    "mcp-method": method,
  });
  if (typeof params["name"] === "string") headers.set("mcp-name", params["name"]);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: ++lastRequest,
    method,
    params: { ...params, _meta: META },
  });
  try {
    // Relative, for a proxy that serves the page below a path. No cookies: the key is all that identifies a caller.
    return await fetch("mcp", {
      method: "POST",
      headers,
      body,
      credentials: "omit",
      cache: "no-store",
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new CallError("The server cannot be reached. Check that it runs, then try again.", {
      cause: error,
    });
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Output | undefined>} Undefined for a body that is not JSON, such as the error page of a proxy.
 */
async function readJson(response) {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    return undefined;
  }
}

/**
 * @param {Output | undefined} body
 * @param {Response} response
 * @returns {Output}
 */
function resultOf(body, response) {
  if (body?.["result"]) return body["result"];
  const message = body?.["error"]?.message;
  if (typeof message === "string") throw new CallError(message);
  throw new CallError(`The server answered with status ${response.status} and no result. Try again.`);
}
