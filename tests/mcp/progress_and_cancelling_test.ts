import { assertEquals } from "@std/assert";
import { inboundOf, openDoor } from "../support/door.ts";
import { modern, request } from "../support/messages.ts";
import { progressOf, progressReporter } from "../../src/mcp/progress.ts";

const READS_EVENTS = { accept: "application/json, text/event-stream" };

type Sent = readonly [unknown, Record<string, string>];

const eras: Record<string, (name: string, _meta?: Record<string, unknown>) => Sent> = {
  "2025-11-25": (name, _meta) => [request("tools/call", { name, ...(_meta && { _meta }) }, 1), READS_EVENTS],
  "2026-07-28": (name, _meta) => modern("tools/call", { name, ...(_meta && { _meta }) }, 1),
};

for (const [era, call] of Object.entries(eras)) {
  Deno.test(`${era}: progress goes out as events that grow, then the response ends the stream`, async () => {
    await using mcp = await openDoor();
    const { status, events } = await mcp.send(...call("count", { progressToken: "p" }));
    assertEquals(status, 200);
    // The reports come at once, so all but the first and the last are within the limit of one in 100 ms.
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
    assertEquals(mcp.door.pending, 0);
  });

  Deno.test(`${era}: without a token the answer is JSON`, async () => {
    await using mcp = await openDoor();
    const { events, message } = await mcp.send(...call("count"));
    assertEquals([events, message.id], [undefined, 1]);
  });

  Deno.test(`${era}: a client that does not read events is answered JSON, token or not`, async () => {
    await using mcp = await openDoor();
    const [message, headers] = call("count", { progressToken: 1 });
    const answer = await mcp.send(message, { ...headers, accept: "application/json" });
    assertEquals([answer.events, answer.message.id], [undefined, 1]);
  });

  Deno.test(`${era}: closing the door ends a stream with an error`, async () => {
    const mcp = await openDoor();
    const answer = mcp.send(...call("wait", { progressToken: 1 }));
    await mcp.waiting.arrived.promise;
    await mcp[Symbol.asyncDispose]();
    assertEquals((await answer).message.error.code, -32603);
  });
}

/** Starts a call of `wait` in a session. */
function startIn(
  mcp: Awaited<ReturnType<typeof openDoor>>,
  session: string,
  id: number | string,
  caller = "alice",
) {
  return mcp.send(
    request("tools/call", { name: "wait" }, id),
    { ...READS_EVENTS, "mcp-session-id": session },
    { caller: { id: caller } },
  );
}

function cancelIn(
  mcp: Awaited<ReturnType<typeof openDoor>>,
  session: string | undefined,
  requestId: unknown,
  caller = "alice",
) {
  return mcp.send(
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "enough" } },
    session === undefined ? {} : { "mcp-session-id": session },
    { caller: { id: caller } },
  );
}

Deno.test("2025-11-25: initialize names a session, a new one each time", async () => {
  await using mcp = await openDoor();
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "0" } };
  const first = await mcp.send(request("initialize", hello));
  const second = await mcp.send(request("initialize", hello));
  assertEquals([first.sessionId?.length, first.sessionId === second.sessionId], [36, false]);
  assertEquals((await mcp.send(request("ping"))).sessionId, undefined);
});

Deno.test("2025-11-25: a cancelled call is aborted, and its answer is a stream without a response", async () => {
  await using mcp = await openDoor();
  const answer = startIn(mcp, "s", 1);
  await mcp.waiting.arrived.promise;
  assertEquals((await cancelIn(mcp, "s", 1)).status, 202);
  assertEquals((await answer).events, []);
  assertEquals([mcp.door.pending, mcp.waiting.running, mcp.waiting.aborted], [0, 0, 1]);
});

Deno.test("2025-11-25: a client that reads JSON only is told that its call was cancelled", async () => {
  await using mcp = await openDoor();
  const answer = mcp.send(request("tools/call", { name: "wait" }, 1), { "mcp-session-id": "s" });
  await mcp.waiting.arrived.promise;
  await cancelIn(mcp, "s", 1);
  assertEquals((await answer).message, {
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32000, message: "The request was cancelled" },
  });
});

const strangers: [string, string | undefined, unknown, string?][] = [
  ["of another session", "other", 1],
  ["without a session", undefined, 1],
  ["of another caller", "s", 1, "mallory"],
  ["for an id of another type", "s", "1"],
  ["for another id", "s", 2],
  ["without an id", "s", undefined],
  ["for an id that is an object", "s", {}],
];
for (const [name, session, id, caller] of strangers) {
  Deno.test(`2025-11-25: a cancellation ${name} changes nothing`, async () => {
    await using mcp = await openDoor();
    const answer = startIn(mcp, "s", 1);
    await mcp.waiting.arrived.promise;
    assertEquals((await cancelIn(mcp, session, id, caller)).status, 202);
    assertEquals([mcp.door.pending, mcp.waiting.running], [1, 1]);
    await cancelIn(mcp, "s", 1);
    await answer;
  });
}

Deno.test("2025-11-25: a client that goes away in the middle of a stream does not cancel", async () => {
  await using mcp = await openDoor();
  const { status, body } = await mcp.door.handle(
    inboundOf(request("tools/call", { name: "wait", _meta: { progressToken: 1 } }, 1)),
    {
      caller: { id: "alice" },
      baseUrl: "",
      headers: new Headers({ ...READS_EVENTS, "mcp-session-id": "s" }),
      watchClient: () => () => {},
    },
  );
  assertEquals(status, 200);
  await (body as { body: ReadableStream }).body.cancel();
  assertEquals([mcp.door.pending, mcp.waiting.running], [1, 1]);
  await cancelIn(mcp, "s", 1);
  assertEquals(mcp.door.pending, 0);
});

Deno.test("2026-07-28: a client that goes away in the middle of a stream cancels", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("tools/call", { name: "wait", _meta: { progressToken: 1 } }, 1);
  const { body } = await mcp.door.handle(inboundOf(message), {
    caller: { id: "alice" },
    baseUrl: "",
    headers: new Headers(headers),
    watchClient: () => () => {},
  });
  await (body as { body: ReadableStream }).body.cancel();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assertEquals([mcp.door.pending, mcp.waiting.running, mcp.waiting.aborted], [0, 0, 1]);
});

Deno.test("progress is passed on when it grows, one report in 100 ms, and always the last", () => {
  let clock = 0;
  const sent: number[] = [];
  const report = progressReporter("t", ({ progress }) => sent.push(progress), () => clock);
  const at = (ms: number, progress: number) => {
    clock = ms;
    report({ progress, total: 10 });
  };
  at(0, 1);
  at(50, 2); // too soon
  at(100, 2);
  at(300, 2); // no growth
  at(400, NaN);
  at(500, 1);
  at(510, 3);
  at(520, 10); // the end
  at(900, 10);
  assertEquals(sent, [1, 2, 3, 10]);
});

Deno.test("nobody is told of the progress of a call that was aborted, and a notification that fails is no matter", async () => {
  const call = new AbortController();
  let sent = 0;
  const report = progressOf(1, call.signal, () => {
    sent++;
    return Promise.reject(new Error("Not connected"));
  });
  report({ progress: 1, total: 2 });
  call.abort();
  report({ progress: 2, total: 2 });
  await Promise.resolve();
  assertEquals(sent, 1);
  progressOf(undefined, call.signal, () => Promise.reject(new Error("unasked")))({ progress: 1 });
});
