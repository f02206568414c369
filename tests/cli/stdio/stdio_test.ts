import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { PROTOCOL_VERSIONS } from "../../../src/mcp/mod.ts";
import { CLIENT_META } from "../../support/messages.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { configFor, StdioClient } from "./client.ts";

Deno.test("stdio serves every protocol version, writes JSON only, and ends with its input", async () => {
  await using folder = await temporaryFolder();
  const client = new StdioClient(configFor({ KB_DATA_DIR: folder.path }));
  for (const version of PROTOCOL_VERSIONS.slice(1)) {
    const { result } = await client.request(version, "initialize", {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "test client", version: "1" },
    });
    assertEquals(result.protocolVersion, version);
    assert((await client.request(`${version} tools`, "tools/list")).result.tools.length > 10);
  }
  const listed = await client.request("2026", "tools/list", { _meta: CLIENT_META });
  assertEquals(listed.result.resultType, "complete");
  const name = "kb_addnote";
  const added = await client.request("note", "tools/call", {
    name,
    arguments: { text: "The heron waits by the weir.", title: "Über Reiher" },
    _meta: CLIENT_META,
  });
  assertEquals(added.result.structuredContent.outcome, "created");
  const uri = "kb://documents/1";
  const read = await client.request("read", "resources/read", { uri, _meta: CLIENT_META });
  assertStringIncludes(JSON.stringify(read.result.contents), "heron");
  assertEquals(await client.close(), 0);
  for (const line of client.output.trimEnd().split("\n")) assertEquals(JSON.parse(line).jsonrpc, "2.0");
});

Deno.test("stdio names its client to the engine, accepts uploads, and flushes responses when its input ends", async () => {
  await using folder = await temporaryFolder();
  const client = new StdioClient(configFor({ KB_DATA_DIR: folder.path }));
  await client.initialize();
  const call = async (id: number, name: string, args: Record<string, unknown>) =>
    (await client.request(id, "tools/call", { name, arguments: args })).result.structuredContent;
  await call(1, "kb_addnote", { text: "Tea, not coffee." });
  await call(2, "kb_update_note", { document_id: 1, text: "Coffee, not tea." });
  assertStringIncludes(JSON.stringify(await call(3, "kb_history", { document_id: 1 })), '"test-client"');

  const text = "The ferry leaves at seven.";
  const { upload_url, upload_id } = await call(4, "kb_upload_start", {
    filename: "ferry.txt",
    total_size: text.length,
  });
  const response = await fetch(upload_url, { method: "PUT", body: text });
  assertEquals(response.status, 200, await response.text());
  assertEquals((await call(5, "kb_upload_finish", { upload_id })).document_id, 2);

  const calls = Array.from({ length: 20 }, (_, id) => call(100 + id, "kb_addnote", { text: `Note ${id}` }));
  assertEquals(await client.close(), 0);
  assertEquals(new Set((await Promise.all(calls)).map(({ document_id }) => document_id)).size, 20);
});

Deno.test("stdio follows the sources of the configuration", async () => {
  await using folder = await temporaryFolder({ "docs/heron.md": "# Heron\n\nIt waits by the weir.\n" });
  const settings = { KB_DATA_DIR: `${folder.path}/data`, KB_SOURCES: `${folder.path}/docs:docs:ro` };
  const client = new StdioClient(configFor(settings));
  // The files are read in the background.
  for (let id = 1;; id++) {
    const { result } = await client.request(id, "tools/call", { name: "kb_list", arguments: {} });
    const [document] = result.structuredContent.documents;
    if (!document && id < 5000) continue;
    assertEquals(document?.source_path, "docs/heron.md");
    break;
  }
  assertEquals(await client.close(), 0);
});

Deno.test("stdio rejects lines that are no messages, with the id where there is one", async () => {
  await using folder = await temporaryFolder();
  const client = new StdioClient(configFor({ KB_DATA_DIR: folder.path, KB_MCP_MAX_BODY: "64KiB" }));
  client.write("\r\n\n");
  client.write('{"jsonrpc":\n');
  assertEquals((await client.receive(({ error }) => error?.code === -32700)).id, undefined);
  client.write('[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n');
  assertMatch((await client.receive(({ error }) => error?.code === -32600)).error!.message, /batches/);
  assertEquals((await client.request("x", "no/such/method")).error?.code, -32601);
  client.write(`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"text":"${"x".repeat(100_000)}"}}\n`);
  await client.receive(({ error }) => error?.message.includes("at most 64 KiB") === true);
  // A message without a line feed at the end of the input.
  client.write('{"jsonrpc":"2.0","id":10,"method":"ping"}');
  assertEquals(await client.close(), 0);
  assertEquals((await client.receive(({ id }) => id === 10)).result, {});
});

Deno.test("two stdio clients share a data directory, and the second takes over when the first ends", async () => {
  await using folder = await temporaryFolder();
  const config = configFor({ KB_DATA_DIR: folder.path });
  const [first, second] = [new StdioClient(config), new StdioClient(config)];
  await Promise.all([first.initialize(), second.initialize()]);
  const add = (client: StdioClient, id: number) =>
    client.request(id, "tools/call", { name: "kb_addnote", arguments: { text: `Note ${id}` } });
  for (const { result } of await Promise.all([add(first, 1), add(second, 2)])) {
    assertEquals(result.structuredContent.outcome, "created");
  }
  assertEquals(await first.close(), 0);
  const last = await second.request(3, "tools/call", { name: "kb_list", arguments: {} });
  assertEquals(last.result.isError ?? false, false, JSON.stringify(last.result.content));
  assertEquals(last.result.structuredContent.documents.length, 2);
  assertEquals((await add(second, 4)).result.structuredContent.outcome, "created");
  assertEquals(await second.close(), 0);
  assertEquals(
    (await Array.fromAsync(Deno.readDir(folder.path))).some(({ name }) => name === "local.json"),
    false,
  );
});
