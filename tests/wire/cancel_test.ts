import { assert, assertEquals } from "@std/assert";
import { Hanging, startFixtureServer } from "./fixture_server.ts";
import { exchange, readResponse, requestBytes, send } from "./raw_http.ts";

const encoder = new TextEncoder();

const HEAD = `POST /mcp HTTP/1.1
Host: localhost
Content-Type: application/json
Accept: application/json, text/event-stream
MCP-Protocol-Version: 2025-11-25
`;

const INITIALIZE = `POST /mcp HTTP/1.1
Host: localhost
Content-Type: application/json
Accept: application/json, text/event-stream
`;

const HEAD_2026 = `POST /mcp HTTP/1.1
Host: localhost
Content-Type: application/json
Accept: application/json, text/event-stream
MCP-Protocol-Version: 2026-07-28
Mcp-Method: tools/call
Mcp-Name: hang
`;

function request(head: string, body: string): Uint8Array<ArrayBuffer> {
  return requestBytes(head, encoder.encode(body));
}

/** Fails when a promise does not settle. */
async function settled<T>(promise: Promise<T>): Promise<T> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("Timed out after 10 s")), 10_000);
  try {
    return await Promise.race([promise, never]);
  } finally {
    clearTimeout(timer);
  }
}

/** Initializes and returns the session header. */
async function openSession(url: string): Promise<string> {
  const initialize =
    `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`;
  const { headers } = await exchange(url, request(INITIALIZE, initialize));
  const session = headers.get("mcp-session-id");
  assert(session !== undefined, "initialize must create a session");
  return `Mcp-Session-Id: ${session}\n`;
}

// MCP 2025-11-25, Cancellation: the receiver stops processing and SHOULD NOT send a response for the
// cancelled request.
for (const id of ["1", "0", '"one"']) {
  for (const meta of ["", `,"_meta":{"progressToken":"p"}`]) {
    Deno.test(`2025-11-25: notifications/cancelled in the session cancels call ${id}${meta && " with progress"}`, async () => {
      const hanging = new Hanging();
      await using server = await startFixtureServer({}, hanging.tool);
      const session = await openSession(server.url);
      const call = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"hang"${meta}}}`;
      using conn = await send(server.url, request(HEAD + session, call));
      await settled(hanging.started);

      const cancel =
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"User requested cancellation"}}`;
      const accepted = await exchange(server.url, request(HEAD + session, cancel));

      assertEquals([accepted.status, accepted.body], [202, ""]);
      await settled(hanging.aborted);
      const response = new TextDecoder().decode(await settled(readResponse(conn)));
      assert(!response.includes(`"result"`), `a cancelled call must have no result: ${response}`);
    });
  }
}

Deno.test("2025-11-25: a cancellation from another session, or without a session, is ignored", async () => {
  const hanging = new Hanging();
  await using server = await startFixtureServer({}, hanging.tool);
  const [mine, theirs] = [await openSession(server.url), await openSession(server.url)];
  using conn = await send(
    server.url,
    request(HEAD + mine, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}`),
  );
  await settled(hanging.started);
  let aborted = false;
  hanging.aborted.then(() => aborted = true);

  const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`;
  for (const session of [theirs, "", "Mcp-Session-Id: none\n"]) {
    assertEquals((await exchange(server.url, request(HEAD + session, cancel))).status, 202);
  }
  const otherType = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`;
  assertEquals((await exchange(server.url, request(HEAD + mine, otherType))).status, 202);
  const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`;
  assertEquals((await exchange(server.url, request(HEAD + mine, ping))).status, 200);
  assertEquals(aborted, false);

  assertEquals((await exchange(server.url, request(HEAD + mine, cancel))).status, 202);
  await settled(hanging.aborted);
  await settled(readResponse(conn));
});

// MCP 2025-11-25, Transports: "Disconnection SHOULD NOT be interpreted as the client cancelling its request."
Deno.test("2025-11-25: a disconnect does not cancel a call, and the client may still cancel it", async () => {
  const hanging = new Hanging();
  await using server = await startFixtureServer({}, hanging.tool);
  const session = await openSession(server.url);
  const call =
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang","_meta":{"progressToken":"p"}}}`;
  const conn = await send(server.url, request(HEAD + session, call));
  await settled(hanging.started);
  let aborted = false;
  hanging.aborted.then(() => aborted = true);

  conn.close();
  const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`;
  for (let i = 0; i < 20; i++) assertEquals((await exchange(server.url, request(HEAD, ping))).status, 200);
  assertEquals(aborted, false);

  const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`;
  assertEquals((await exchange(server.url, request(HEAD + session, cancel))).status, 202);
  await settled(hanging.aborted);
});

// MCP 2026-07-28, Streamable HTTP, Cancellation: closing the response stream MUST be treated as cancellation.
for (const meta of ["", `"progressToken":"p",`]) {
  Deno.test(`2026-07-28: a disconnect cancels the call${meta && " with progress"}`, async () => {
    const hanging = new Hanging();
    await using server = await startFixtureServer({}, hanging.tool);
    const call =
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang","_meta":{${meta}"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`;
    const conn = await send(server.url, request(HEAD_2026, call));
    await settled(hanging.started);

    conn.close();

    await settled(hanging.aborted);
  });
}
