/** Timeout of a ping, in milliseconds. */
const TIMEOUT_MS = 3000;

/** Returns the status of the response of an MCP endpoint to a ping, such as 401; undefined without a response. */
export async function pingStatus(url: string, key?: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "manual",
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
