import { assertEquals } from "@std/assert";
import { ResponseStream } from "../../src/mcp/mod.ts";
import { openDispatcher } from "../support/dispatcher.ts";
import { request, stateless } from "../support/messages.ts";

const ACCEPT_EVENTS = { accept: "application/json, text/event-stream" };

type Message = readonly [unknown, Record<string, string>];

const versions: Record<string, (name: string, _meta?: Record<string, unknown>) => Message> = {
  "2025-11-25": (name, _meta) => [request("tools/call", { name, ...(_meta && { _meta }) }, 1), ACCEPT_EVENTS],
  "2026-07-28": (name, _meta) => stateless("tools/call", { name, ...(_meta && { _meta }) }, 1),
};

for (const [version, toolCall] of Object.entries(versions)) {
  Deno.test(`${version}: progress is sent as increasing events before the response`, async () => {
    await using mcp = await openDispatcher();
    const { status, events } = await mcp.send(...toolCall("count", { progressToken: "p" }));
    assertEquals(status, 200);
    // The tool reports in quick succession, so the rate limit drops all but the first and the final report.
    assertEquals(events?.slice(0, -1), [
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "p", progress: 1, total: 3, message: "step 1" },
      },
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "p", progress: 3, total: 3, message: "step 3" },
      },
    ]);
    assertEquals([events?.at(-1).id, events?.at(-1).result.isError], [1, undefined]);
    assertEquals(mcp.dispatcher.pending, 0);
  });

  Deno.test(`${version}: without a progress token the response is JSON`, async () => {
    await using mcp = await openDispatcher();
    const { events, message } = await mcp.send(...toolCall("count"));
    assertEquals([events, message.id], [undefined, 1]);
  });

  Deno.test(`${version}: a client that does not accept events gets JSON, even with a progress token`, async () => {
    await using mcp = await openDispatcher();
    const [message, headers] = toolCall("count", { progressToken: 1 });
    const response = await mcp.send(message, { ...headers, accept: "application/json" });
    assertEquals([response.events, response.message.id], [undefined, 1]);
  });

  Deno.test(`${version}: a report after the response is ignored`, async () => {
    await using mcp = await openDispatcher();
    const [message, headers] = toolCall("linger", { progressToken: 1 });
    const reads: string[] = [];
    const recorded = {
      get(name: string) {
        reads.push(name);
        return new Headers(headers).get(name);
      },
    };
    const response = await mcp.send(message, {}, { headers: recorded });
    mcp.waiting.report?.({ progress: 1 });
    assertEquals(response.events, undefined);
    // The client's `Accept` header is read when an event stream is about to begin.
    assertEquals(reads.includes("accept"), false);
  });

  Deno.test(`${version}: disposing the dispatcher ends a stream with an error`, async () => {
    const mcp = await openDispatcher();
    const response = mcp.send(...toolCall("wait", { progressToken: 1 }));
    await mcp.waiting.started.promise;
    await mcp[Symbol.asyncDispose]();
    assertEquals((await response).message.error.code, -32603);
  });
}

/** Calls the tool `wait` in a session. */
function startIn(
  mcp: Awaited<ReturnType<typeof openDispatcher>>,
  session: string | undefined,
  id: number | string,
  caller = "alice",
) {
  return mcp.send(
    request("tools/call", { name: "wait" }, id),
    { ...ACCEPT_EVENTS, ...(session === undefined ? {} : { "mcp-session-id": session }) },
    { caller: { id: caller, scope: "write" } },
  );
}

function cancelIn(
  mcp: Awaited<ReturnType<typeof openDispatcher>>,
  session: string | undefined,
  requestId: unknown,
  caller = "alice",
) {
  return mcp.send(
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "enough" } },
    session === undefined ? {} : { "mcp-session-id": session },
    { caller: { id: caller, scope: "write" } },
  );
}

Deno.test("2025-11-25: every initialize creates a new session id", async () => {
  await using mcp = await openDispatcher();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "0" } };
  const first = await mcp.send(request("initialize", params));
  const second = await mcp.send(request("initialize", params));
  assertEquals([first.sessionId?.length, first.sessionId === second.sessionId], [36, false]);
  assertEquals((await mcp.send(request("ping"))).sessionId, undefined);
});

Deno.test("2025-11-25: a cancelled request is aborted, and its response is an empty event stream", async () => {
  await using mcp = await openDispatcher();
  const response = startIn(mcp, "s", 1);
  await mcp.waiting.started.promise;
  assertEquals((await cancelIn(mcp, "s", 1)).status, 202);
  assertEquals((await response).events, []);
  assertEquals([mcp.dispatcher.pending, mcp.waiting.running, mcp.waiting.aborted], [0, 0, 1]);
});

Deno.test("2025-11-25: a client that accepts only JSON gets an error for a cancelled request", async () => {
  await using mcp = await openDispatcher();
  const response = mcp.send(request("tools/call", { name: "wait" }, 1), { "mcp-session-id": "s" });
  await mcp.waiting.started.promise;
  await cancelIn(mcp, "s", 1);
  assertEquals((await response).message, {
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32000, message: "The request was cancelled" },
  });
});

const foreignCancellations: [string, string | undefined, unknown, string?][] = [
  ["from another session", "other", 1],
  ["without a session", undefined, 1],
  ["from another caller", "s", 1, "mallory"],
  ["of an id of another type", "s", "1"],
  ["of another id", "s", 2],
  ["without an id", "s", undefined],
  ["of an id that is an object", "s", {}],
];
for (const [name, session, id, caller] of foreignCancellations) {
  Deno.test(`2025-11-25: a cancellation ${name} is ignored`, async () => {
    await using mcp = await openDispatcher();
    const response = startIn(mcp, "s", 1);
    await mcp.waiting.started.promise;
    assertEquals((await cancelIn(mcp, session, id, caller)).status, 202);
    assertEquals([mcp.dispatcher.pending, mcp.waiting.running], [1, 1]);
    await cancelIn(mcp, "s", 1);
    await response;
  });
}

Deno.test("2025-11-25: clients without a session cannot cancel each other's requests", async () => {
  const mcp = await openDispatcher();
  const response = startIn(mcp, undefined, 1);
  await mcp.waiting.started.promise;
  assertEquals((await cancelIn(mcp, undefined, 1)).status, 202);
  assertEquals([mcp.dispatcher.pending, mcp.waiting.running], [1, 1]);
  await mcp[Symbol.asyncDispose]();
  await response;
});

/** Calls `wait` with a progress token and disconnects from the stream that begins with the first event. */
async function disconnectDuringStream(
  mcp: Awaited<ReturnType<typeof openDispatcher>>,
  [message, headers]: Message,
): Promise<void> {
  const { body } = await mcp.dispatch(message, { ...headers, "mcp-session-id": "s" });
  if (!(body instanceof ResponseStream)) throw new Error("The response must be a stream");
  await body.body.cancel();
  // The tool sees its aborted signal after a few microtasks.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

Deno.test("2025-11-25: a disconnect during a stream does not cancel the request", async () => {
  await using mcp = await openDispatcher();
  await disconnectDuringStream(mcp, versions["2025-11-25"]!("wait", { progressToken: 1 }));
  assertEquals([mcp.dispatcher.pending, mcp.waiting.running], [1, 1]);
  await cancelIn(mcp, "s", 1);
  assertEquals(mcp.dispatcher.pending, 0);
});

Deno.test("2026-07-28: a disconnect during a stream cancels the request", async () => {
  await using mcp = await openDispatcher();
  await disconnectDuringStream(mcp, versions["2026-07-28"]!("wait", { progressToken: 1 }));
  assertEquals([mcp.dispatcher.pending, mcp.waiting.running, mcp.waiting.aborted], [0, 0, 1]);
});

Deno.test("the two protocol versions never mix up requests with equal ids", async () => {
  await using mcp = await openDispatcher();
  const responses = await Promise.all(
    Array.from(
      { length: 100 },
      (_, i) =>
        i % 2
          ? mcp.send(request("tools/call", { name: "whoami" }, 1))
          : mcp.send(...stateless("tools/call", { name: "whoami" }, 1)),
    ),
  );
  for (const [i, { message }] of responses.entries()) {
    assertEquals([message.id, message.result.resultType], [1, i % 2 ? undefined : "complete"]);
  }
  assertEquals(mcp.dispatcher.pending, 0);
});
