import { assert, assertEquals } from "@std/assert";
// @ts-types="@modelcontextprotocol/sdk/types"
import { SUPPORTED_PROTOCOL_VERSIONS as SDK_1_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { HANDSHAKE_VERSIONS, PROTOCOL_VERSIONS } from "../../src/mcp/protocol_versions.ts";

Deno.test("the versions with a handshake are those of the official SDK, without one that predates Streamable HTTP", () => {
  assertEquals(SDK_1_VERSIONS.filter((version) => version !== "2024-10-07"), [...HANDSHAKE_VERSIONS]);
});

Deno.test("versions are listed newest first", () => {
  assertEquals(PROTOCOL_VERSIONS.toSorted().reverse(), [...PROTOCOL_VERSIONS]);
  assert(PROTOCOL_VERSIONS.every((version) => /^\d{4}-\d{2}-\d{2}$/.test(version)));
});
