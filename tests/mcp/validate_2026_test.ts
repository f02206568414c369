import { assert, assertEquals, assertMatch } from "@std/assert";
import * as sdk from "@modelcontextprotocol/server";
import { PROTOCOL_VERSIONS } from "../../src/mcp/mod.ts";
import * as validation from "../../src/mcp/validate_2026.ts";
import { openDispatcher } from "../support/dispatcher.ts";
import { CLIENT_META, request, stateless } from "../support/messages.ts";

Deno.test("the keys of _meta are those of the official SDK", () => {
  assertEquals(validation.PROTOCOL_VERSION_KEY, sdk.PROTOCOL_VERSION_META_KEY);
  assertEquals(validation.CLIENT_CAPABILITIES_KEY, sdk.CLIENT_CAPABILITIES_META_KEY);
  assertEquals(validation.CLIENT_INFO_KEY, sdk.CLIENT_INFO_META_KEY);
  assertEquals(validation.LOG_LEVEL_KEY, sdk.LOG_LEVEL_META_KEY);
  assertEquals(validation.SERVER_INFO_KEY, sdk.SERVER_INFO_META_KEY);
});

const { "io.modelcontextprotocol/protocolVersion": _version, ...WITHOUT_VERSION } = CLIENT_META;
const { "io.modelcontextprotocol/clientCapabilities": _capabilities, ...WITHOUT_CAPABILITIES } = CLIENT_META;
const metas: Record<string, Record<string, unknown>> = {
  "valid _meta": CLIENT_META,
  "_meta without a version": WITHOUT_VERSION,
  "_meta without capabilities": WITHOUT_CAPABILITIES,
  "_meta with a numeric version": { ...CLIENT_META, "io.modelcontextprotocol/protocolVersion": 2026 },
  "_meta with a later version": { ...CLIENT_META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" },
  "_meta with a string as the client": { ...CLIENT_META, "io.modelcontextprotocol/clientInfo": "c" },
  "_meta with a client without a version": {
    ...CLIENT_META,
    "io.modelcontextprotocol/clientInfo": { name: "c" },
  },
  "_meta with strings as capabilities": {
    ...CLIENT_META,
    "io.modelcontextprotocol/clientCapabilities": "c",
  },
  "_meta with an unknown log level": { ...CLIENT_META, "io.modelcontextprotocol/logLevel": "shouting" },
};
for (const [name, _meta] of Object.entries(metas)) {
  for (const version of ["2026-07-28", "2099-01-01", "2025-11-25", undefined]) {
    for (const method of ["tools/list", "tools/call", undefined]) {
      // Not a request of this version.
      if (name === "_meta without a version" && version !== "2026-07-28") continue;
      const label = `${name}, MCP-Protocol-Version ${version} and Mcp-Method ${method}`;
      Deno.test(`${label} have the error code of the official SDK`, async () => {
        await using mcp = await openDispatcher();
        const message = request("tools/list", { _meta }, "id");
        const verdict = sdk.classifyInboundRequest({
          httpMethod: "POST",
          body: message,
          ...(version !== undefined && { protocolVersionHeader: version }),
          ...(method !== undefined && { mcpMethodHeader: method }),
        });
        const { status, message: { id, error } } = await mcp.send(message, {
          ...(version !== undefined && { "mcp-protocol-version": version }),
          ...(method !== undefined && { "mcp-method": method }),
        });
        // The SDK's classifier leaves unsupported versions and missing headers to later checks.
        const isSupported = verdict.kind === "modern" && verdict.classification.revision === "2026-07-28";
        const expected = verdict.kind === "reject"
          ? verdict.code
          : !isSupported
          ? -32022
          : version === undefined || method === undefined
          ? -32020
          : undefined;
        assertEquals([status, id, error?.code], [expected === undefined ? 200 : 400, "id", expected]);
      });
    }
  }
}

const without = (name: string) =>
  Object.fromEntries(
    Object.entries(stateless("tools/call", { name: "whoami" })[1]).filter(([key]) => key !== name),
  );

const mismatches: [string, Record<string, string>, RegExp][] = [
  ["no MCP-Protocol-Version", without("mcp-protocol-version"), /MCP-Protocol-Version/],
  ["no Mcp-Method", without("mcp-method"), /Mcp-Method/],
  ["no Mcp-Name", without("mcp-name"), /Mcp-Name/],
  ["another version", { "mcp-protocol-version": "2025-11-25" }, /2025-11-25/],
  ["another Mcp-Method", { "mcp-method": "tools/list" }, /Mcp-Method/],
  ["Mcp-Method in upper case", { "mcp-method": "TOOLS/CALL" }, /Mcp-Method/],
  ["another Mcp-Name", { "mcp-name": "mistaken" }, /Mcp-Name/],
  ["Mcp-Name in invalid Base64", { "mcp-name": "=?base64?%%?=" }, /Base64/],
  ["Mcp-Name in Base64 of another name", { "mcp-name": "=?base64?bm90?=" }, /Mcp-Name/],
];
for (const [name, changed, text] of mismatches) {
  Deno.test(`a call with ${name} is rejected with 400 and -32020`, async () => {
    await using mcp = await openDispatcher();
    const [message, headers] = stateless("tools/call", { name: "whoami" }, "x");
    const sent = name.startsWith("no ") ? changed : { ...headers, ...changed };
    const response = await mcp.send(message, sent);
    assertEquals([response.status, response.message.id, response.message.error.code], [400, "x", -32020]);
    assertMatch(response.message.error.message, text);
    assertEquals(mcp.dispatcher.pending, 0);
  });
}

Deno.test("Mcp-Name may be Base64", async () => {
  await using mcp = await openDispatcher();
  const [message, headers] = stateless("tools/call", { name: "whoami" });
  const response = await mcp.send(message, { ...headers, "mcp-name": `=?base64?${btoa("whoami")}?=` });
  assertEquals([response.status, response.message.result.resultType], [200, "complete"]);
});

Deno.test("a name that looks like Base64 has to be encoded", async () => {
  await using mcp = await openDispatcher();
  const name = `=?base64?${btoa("whoami")}?=`;
  const response = await mcp.send(...stateless("tools/call", { name }));
  assertEquals([response.status, response.message.error.code], [400, -32020]);
});

Deno.test("a call without a tool name is a header mismatch, with and without Mcp-Name", async () => {
  await using mcp = await openDispatcher();
  const [message, headers] = stateless("tools/call");
  for (const nameHeader of [{}, { "mcp-name": "whoami" }]) {
    const response = await mcp.send(message, { ...headers, ...nameHeader });
    assertEquals([response.status, response.message.error.code], [400, -32020]);
  }
});

Deno.test("initialize with the header of 2026-07-28 is a header mismatch", async () => {
  await using mcp = await openDispatcher();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const response = await mcp.send(request("initialize", params), { "mcp-protocol-version": "2026-07-28" });
  assertEquals([response.status, response.message.error.code], [400, -32020]);
});

Deno.test("clientInfo is optional", async () => {
  await using mcp = await openDispatcher();
  const [message, headers] = stateless("tools/list");
  const { "io.modelcontextprotocol/clientInfo": _, ..._meta } = CLIENT_META;
  assertEquals((await mcp.send({ ...message, params: { _meta } }, headers)).status, 200);
});

for (const level of validation.LOG_LEVELS) {
  Deno.test(`log level ${level} is accepted`, async () => {
    await using mcp = await openDispatcher();
    const _meta = { "io.modelcontextprotocol/logLevel": level };
    assertEquals((await mcp.send(...stateless("tools/list", { _meta }))).status, 200);
  });
}

Deno.test("an error does not repeat a megabyte of the request", async () => {
  await using mcp = await openDispatcher();
  const long = "x".repeat(2 ** 20);
  const [message, headers] = stateless("tools/list");
  const _meta = { ...CLIENT_META, "io.modelcontextprotocol/protocolVersion": long };
  const rejected = [
    await mcp.send({ ...message, method: long }, headers),
    await mcp.send({ ...message, params: { _meta } }, headers),
    await mcp.send(...stateless(long)),
  ];
  for (const response of rejected) assert(JSON.stringify(response.message).length < 2000);
});

for (const key of ["protocolVersion", "clientCapabilities"] as const) {
  Deno.test(`a request without ${key} in _meta is rejected with 400 and -32602`, async () => {
    await using mcp = await openDispatcher();
    const [message, headers] = stateless("tools/list");
    const { [`io.modelcontextprotocol/${key}` as keyof typeof CLIENT_META]: _, ..._meta } = CLIENT_META;
    const response = await mcp.send({ ...message, params: { _meta } }, headers);
    assertEquals([response.status, response.message.id, response.message.error.code], [400, 0, -32602]);
    assertMatch(response.message.error.message, new RegExp(key));
  });
}

const requestedVersions = [
  ["a later", "2099-01-01", PROTOCOL_VERSIONS],
  // Supported, but only with initialize: a client must not retry with it.
  ["an earlier", "2025-11-25", ["2026-07-28"]],
] as const;
for (const [name, requested, supported] of requestedVersions) {
  Deno.test(`${name} version in _meta is rejected with 400, -32022 and the supported versions`, async () => {
    await using mcp = await openDispatcher();
    const [message, headers] = stateless("tools/list", {
      _meta: { "io.modelcontextprotocol/protocolVersion": requested },
    });
    const response = await mcp.send(message, { ...headers, "mcp-protocol-version": requested });
    assertEquals([response.status, response.message.error.code], [400, -32022]);
    assertEquals(response.message.error.data, { supported, requested });
  });
}

Deno.test("an unknown version in the header alone is rejected with 400 and -32022", async () => {
  await using mcp = await openDispatcher();
  for (const message of [request("tools/list"), { jsonrpc: "2.0", method: "notifications/initialized" }]) {
    const response = await mcp.send(message, { "mcp-protocol-version": "1999-01-01" });
    assertEquals([response.status, response.message.error.code], [400, -32022]);
  }
});
