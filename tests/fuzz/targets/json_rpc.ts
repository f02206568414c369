import { assert, assertEquals } from "@std/assert";
import { parseMessage, PROTOCOL_VERSIONS, ResponseStream } from "../../../src/mcp/mod.ts";
import { openDispatcher } from "../../support/dispatcher.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";
import { joinText } from "../../../src/text/mod.ts";

/** Overhead of a response: the largest result of the test dispatcher, and the text of an error. */
const MAX_RESPONSE_CHARS = 8192;

const METHODS = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "server/discover",
  "logging/setLevel",
  "subscriptions/listen",
  "notifications/initialized",
  "notifications/cancelled",
  "nonsense",
];

/**
 * For any bytes and any version header, the dispatcher neither throws nor rejects. Its response is empty or one
 * valid JSON-RPC response with the id of the request.
 */
export const jsonRpc: FuzzTarget = {
  name: "json_rpc",
  iterations: 750,
  seeds: utf8([
    request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    }),
    request("tools/call", { name: "whoami", arguments: { times: 2 }, _meta: { progressToken: "p" } }),
    request("resources/read", { uri: "test://one" }),
    request("prompts/get", { name: "greet", arguments: { whom: "you" } }),
    request("completion/complete", {
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "whom", value: "wo" },
    }),
    request("tools/list", {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    }),
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
  ]),
  dictionary: utf8([
    ...METHODS.map((method) => JSON.stringify(method)),
    ...[
      '"jsonrpc":"2.0",',
      '"id":',
      '"params":',
      '"_meta":{',
      '"progressToken":1',
      '"cursor":"x"',
      "[",
      "{",
      "}",
    ],
    ...["null", "1e999", "-0", "9007199254740993", '"\\ud800"', '"__proto__":{', '"\\u0000"', "\ufeff", "\\"],
  ]),
  generate: (random) => utf8([generateMessage(random)])[0]!,
  async open(resources) {
    const { dispatcher } = resources.use(await openDispatcher());
    return async (input) => {
      const message = parseMessage(input);
      const id = message.kind === "request"
        ? message.request.id
        : message.kind === "invalid"
        ? message.id
        : undefined;
      for (const version of [null, ...PROTOCOL_VERSIONS, "1999-01-01"]) {
        const { status, body } = await dispatcher.handle(message, {
          caller: { id: "alice", scope: "write" },
          baseUrl: "http://kb.example",
          headers: new Headers(version === null ? {} : { "mcp-protocol-version": version }),
          reserveMemory: () => true,
          watchClient: () => () => {},
        });
        assert([200, 202, 400, 404].includes(status), `status ${status}`);
        if (body === null) assert(message.kind !== "request", "a request must get a response");
        else if (body instanceof ResponseStream) await body.body.cancel();
        else checkResponse(joinText(body), id);
      }
    };
  },
};

function checkResponse(text: string, id: string | number | undefined): void {
  const idChars = JSON.stringify(id ?? "").length;
  assert(text.length <= MAX_RESPONSE_CHARS + idChars, `a response of ${text.length} characters`);
  const { jsonrpc, result, error, ...others } = JSON.parse(text);
  assertEquals(jsonrpc, "2.0");
  assertEquals(others, id === undefined ? {} : { id });
  assert((result === undefined) !== (error === undefined), "either a result or an error");
  if (error === undefined) return;
  assert(Number.isSafeInteger(error.code) && typeof error.message === "string");
  assert(!/SELECT|\/var\/lib|node_modules|\.ts:\d/.test(text), "nothing internal");
}

function request(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function generateMessage(random: Random): string {
  const value = (depth: number): unknown => {
    switch (random.int(depth > 3 ? 5 : 7)) {
      case 0:
        return random.pick([0, -1, 1.5, 2 ** 53, 1e300]);
      case 1:
        return random.pick([
          "",
          "x",
          "whoami",
          "test://one",
          "test://engine",
          "\u202e\0",
          "2025-06-18",
          "greet",
        ]);
      case 2:
        return random.pick([null, true, false]);
      case 3:
        return "é".repeat(random.int(600));
      case 4:
        return random.pick(["a", 7]);
      case 5:
        return Array.from({ length: random.int(4) }, () => value(depth + 1));
      default:
        return object(depth + 1);
    }
  };
  const names = [
    "name",
    "arguments",
    "uri",
    "_meta",
    "progressToken",
    "cursor",
    "ref",
    "argument",
    "value",
    "times",
  ];
  const object = (depth: number) =>
    Object.fromEntries(Array.from({ length: random.int(5) }, () => [random.pick(names), value(depth)]));
  const message: Record<string, unknown> = { jsonrpc: "2.0", method: random.pick(METHODS) };
  if (random.int(5) > 0) {
    message["id"] = random.pick<unknown>([1, "a", "é\0", -5, null, 1.5, {}, "x".repeat(2000)]);
  }
  if (random.int(5) > 0) message["params"] = random.int(4) > 0 ? object(0) : value(0);
  return JSON.stringify(message);
}
