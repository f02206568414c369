import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { toolsFor } from "../../src/cli/serve.ts";
import { ConfigError } from "../../src/config/mod.ts";
import { includesScope, type Scope, SCOPES } from "../../src/keys/mod.ts";
import type { Fields, Logger } from "../../src/telemetry/mod.ts";
import { runCommand } from "../cli/run_command.ts";
import { instructionsFor } from "../../src/tools/mod.ts";
import { type Agent, connectAgent } from "../support/mcp_client.ts";
import { startTestServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const API_KEY = "the-key-of-the-operator";
/** Names of the keys. */
const NAMES: Readonly<Record<Scope, string>> = { read: "reader", add: "adder", write: "writer" };
const TEXT = "The kettle is on the shelf.";

/** Arguments of an upload of five bytes. */
const FILE = { filename: "a.txt", total_size: 5 };

/** A server with a named key for each scope, and an agent with each. */
interface Team extends AsyncDisposable {
  readonly url: string;
  readonly keys: Readonly<Record<Scope, string>>;
  readonly agents: Readonly<Record<Scope, Agent>>;
  readonly log: readonly (readonly [message: string, fields: Fields])[];
  /** Runs `kb-mcp key`; resolves to standard output without its line end. */
  key(...args: string[]): Promise<string>;
}

async function openTeam(): Promise<Team> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const env = { KB_MCP_KEYS: `${folder.path}/keys.json` };
  const key = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(["key", ...args], env);
    assertEquals(code, 0, stderr);
    return stdout.trimEnd();
  };
  const keys = {} as Record<Scope, string>;
  for (const scope of SCOPES) keys[scope] = await key("add", NAMES[scope], "--scope", scope);
  const lines: [string, Fields][] = [];
  const record = (message: string, fields: Fields = {}) => void lines.push([message, fields]);
  const log = { level: "info", debug() {}, info: record, warn: record, error: record } as unknown as Logger;
  const server = stack.use(
    await startTestServer({
      env: { ...env, KB_MCP_API_KEY: API_KEY, KB_MCP_SOURCE_TOOLS: "on", KB_MCP_COMPAT: "chatgpt" },
      log,
    }),
  );
  const agents = {} as Record<Scope, Agent>;
  for (const scope of SCOPES) agents[scope] = stack.use(await connectAgent(server.url, keys[scope]));
  const open = stack.move();
  return { url: server.url, keys, agents, log: lines, key, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Sends `ping` with a key; resolves to the status. */
async function ping(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  await response.body?.cancel();
  return response.status;
}

/** Pings until the server accepts a key or rejects it: it looks at its keys file at most once a second. */
async function untilAccepted(isAccepted: boolean, url: string, key: string): Promise<void> {
  // Many wrong keys get 429.
  while ((await ping(url, key) === 200) !== isAccepted);
}

/** Arguments with which a tool may run. */
const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  kb_search: { query: "kettle" },
  kb_get: { document_id: 1 },
  kb_addnote: { text: "A note." },
  kb_update_note: { document_id: 1, text: "Changed." },
  kb_edit: { document_id: 1, append: "More." },
  kb_upload_start: { filename: "a.txt", total_size: 3 },
  kb_upload_chunk: { upload_id: "none", chunk_index: 0, data: "YQ==" },
  kb_upload_finish: { upload_id: "none" },
  kb_set_collection: { document_id: 1, collection: "memory" },
  kb_delete: { document_id: 1 },
  kb_history: { document_id: 1 },
  kb_restore: { document_id: 1 },
  kb_context: { document_id: 1 },
  kb_write: { title: "T", text: "Text." },
  search: { query: "kettle" },
  fetch: { id: "1" },
};

Deno.test("Keys / each scope: a key calls the tools of its scope, and gets a denial for all others", async () => {
  await using team = await openTeam();
  const tools = toolsFor({ KB_MCP_COMPAT: "chatgpt", KB_MCP_SOURCE_TOOLS: "on" });
  for (const held of SCOPES) {
    const { tools: listed } = await team.agents[held].client.listTools();
    const allowed = tools.filter(({ scope }) => includesScope(held, scope)).map(({ name }) => name);
    assertEquals(listed.map(({ name }) => name), allowed, held);
    assertEquals(team.agents[held].client.getInstructions(), instructionsFor(held));
    for (const { name, scope } of tools) {
      const { isError, text } = await team.agents[held].call(name, ARGUMENTS[name] ?? {});
      const isDenied = text.includes("scope_required");
      assertEquals(isDenied, !includesScope(held, scope), `${name} with ${held}: ${text}`);
      if (!isDenied) continue;
      const { message, ...denial } = JSON.parse(text);
      assertEquals(denial, { outcome: "denied", code: "scope_required", required: scope, scope: held });
      assertEquals(isError, true);
      assertStringIncludes(message, `kb-mcp key change ${NAMES[held]} --scope ${scope}`);
    }
  }
  const read = tools.filter(({ scope }) => scope === "read").length;
  const denied = team.log.filter(([, { key, outcome }]) => key === "reader" && outcome === "scope_required");
  assertEquals(denied.length, tools.length - read, "each denial is logged");
  const metrics = await (await fetch(`${team.url}/metrics`)).text();
  assertMatch(
    metrics,
    /kb_mcp_requests_total\{method="tools\/call",tool="kb_delete",outcome="scope_required"\} 2/,
  );
  assertMatch(metrics, /kb_mcp_key_requests_total\{key="reader"\} \d/);
});

Deno.test("Keys / arguments: what changes documents needs write, also in a tool that does not", async () => {
  await using team = await openTeam();
  const { client, call } = team.agents.add;
  const { tools } = await client.listTools();
  const properties = (name: string) =>
    Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
  assertEquals(properties("kb_addnote").includes("overwrite"), false);
  assertEquals(properties("kb_jobs").includes("action"), false);
  assertEquals(properties("kb_jobs").includes("job_id"), true);
  for (
    const [name, args] of [
      ["kb_addnote", { text: TEXT, source_path: "a.md", overwrite: true }],
      ["kb_upload_start", { filename: "a.txt", total_size: 3, overwrite: true }],
      ["kb_jobs", { job_id: 1, action: "cancel" }],
    ] as const
  ) {
    const { isError, text } = await call(name, args);
    assertEquals([isError, JSON.parse(text).required], [true, "write"], name);
  }
  assertEquals((await call("kb_addnote", { text: TEXT, overwrite: false })).isError, false);
});

Deno.test("Keys / add: a key that adds neither replaces nor changes what is stored", async () => {
  await using team = await openTeam();
  const { read, add, write } = team.agents;
  const first = await write.call("kb_addnote", { text: TEXT, source_path: "a.md", collection: "memory" });
  const { document_id } = first.structured;
  const before = (await read.call("kb_get", { document_id })).structured;

  const replaced = await add.call("kb_addnote", { text: "Lost.", source_path: "a.md", collection: "memory" });
  assertEquals([replaced.structured["outcome"], replaced.structured["document_id"]], [
    "conflict",
    document_id,
  ]);
  assertStringIncludes(String(replaced.structured["next"]), "your key only adds");
  const again = await add.call("kb_addnote", { text: TEXT, collection: "workspace", tags: ["mine"] });
  assertEquals([again.structured["outcome"], again.structured["collection"]], ["duplicate", "memory"]);
  assertStringIncludes(String(again.structured["note"]), "It was not changed");
  const samePath = await add.call("kb_addnote", { text: TEXT, source_path: "a.md", tags: ["mine"] });
  assertEquals(samePath.structured["outcome"], "duplicate");

  const file = await upload(write, "Kept.", { source_path: "f.txt" });
  const fileBefore = (await read.call("kb_get", { document_id: file["document_id"] })).structured;
  const sent = await upload(add, "Lost.", { source_path: "f.txt" });
  assertEquals([sent["outcome"], sent["document_id"]], ["conflict", file["document_id"]]);
  assertEquals((await upload(add, "Kept.", { collection: "memory" }))["outcome"], "duplicate");
  assertEquals((await read.call("kb_get", { document_id: file["document_id"] })).structured, fileBefore);
  assertEquals((await read.call("kb_get", { document_id })).structured, before);

  const created = await add.call("kb_addnote", { text: "Another one.", source_path: "b.md" });
  assertEquals(created.structured["outcome"], "created");
  const changed = await write.call("kb_addnote", { text: "New.", source_path: "a.md", collection: "memory" });
  assertEquals(changed.structured["outcome"], "replaced");
});

Deno.test("Keys / uploads: an upload belongs to the key that began it", async () => {
  await using team = await openTeam();
  const { add, write } = team.agents;
  const { upload_id, upload_url } = (await add.call("kb_upload_start", FILE)).structured;
  await (await fetch(String(upload_url), { method: "PUT", body: "Mine." })).body?.cancel();
  const stranger = await write.call("kb_upload_finish", { upload_id });
  assertEquals([stranger.isError, stranger.text.includes("scope_required")], [true, false]);
  assertEquals((await add.call("kb_upload_finish", { upload_id })).structured["outcome"], "created");
});

/** Uploads a text of five bytes; resolves to the output of `kb_upload_finish`. */
async function upload(agent: Agent, text: string, args: Record<string, unknown>) {
  const { upload_id, upload_url } = (await agent.call("kb_upload_start", { ...FILE, ...args })).structured;
  await (await fetch(String(upload_url), { method: "PUT", body: text })).body?.cancel();
  return (await agent.call("kb_upload_finish", { upload_id })).structured;
}

Deno.test("Keys / authors: the history of a document and the log name the key and the client", async () => {
  await using team = await openTeam();
  await using operator = await connectAgent(team.url, API_KEY);
  const { document_id } = (await team.agents.add.call("kb_addnote", { text: TEXT })).structured;
  await team.agents.write.call("kb_update_note", { document_id, text: "Second." });
  await operator.call("kb_update_note", { document_id, text: "Third." });
  const history = JSON.stringify((await team.agents.read.call("kb_history", { document_id })).structured);
  for (const author of ["writer", "default"]) {
    assertStringIncludes(history, `"changed_by":"${author} (Deno)"`);
  }
  const calls = team.log.filter(([message]) => message === "tool called").map((
    [, { tool, key }],
  ) => [tool, key]);
  assertEquals(calls, [
    ["kb_addnote", "adder"],
    ["kb_update_note", "writer"],
    ["kb_update_note", "default"],
  ]);
});

Deno.test("Keys / changes: a running server follows the keys file", async () => {
  await using team = await openTeam();
  const added = await team.key("add", "carol", "--scope", "add");
  await untilAccepted(true, team.url, added);
  const rotated = await team.key("rotate", "carol");
  await untilAccepted(false, team.url, added);
  assertEquals(await ping(team.url, rotated), 200);
  await team.key("remove", "carol");
  await untilAccepted(false, team.url, rotated);
  assertEquals(await ping(team.url, API_KEY), 200);
  assertEquals(await ping(team.url, team.keys.read), 200);
});

Deno.test("Keys / lists: they are private, and those of a key do not reach another one", async () => {
  await using team = await openTeam();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const list = async (method: string, key: string) => {
    const response = await fetch(`${team.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta } }),
    });
    return (await response.json()).result;
  };
  for (const key of [team.keys.write, team.keys.read, API_KEY]) {
    const { cacheScope, tools } = await list("tools/list", key);
    assertEquals(cacheScope, "private");
    assertEquals(tools.some(({ name }: { name: string }) => name === "kb_delete"), key !== team.keys.read);
  }
  const prompts = async (key: string) =>
    (await list("prompts/list", key)).prompts.map(({ name }: { name: string }) => name);
  assertEquals(await prompts(team.keys.read), ["research_question"]);
  assertEquals(await prompts(team.keys.write), ["research_question", "remember", "review_memory"]);
  await assertDenied(() => team.agents.read.client.getPrompt({ name: "remember", arguments: { text: "x" } }));
});

async function assertDenied(run: () => Promise<unknown>): Promise<void> {
  const error = await run().then(() => undefined, (error) => error);
  assert(error instanceof Error);
  assertStringIncludes(error.message, "needs a key with the scope add");
}

Deno.test("Keys / no keys: every request is rejected, and the server starts nevertheless", async () => {
  await using folder = await temporaryFolder();
  await using server = await startTestServer({ env: { KB_MCP_KEYS: `${folder.path}/keys.json` } });
  assertEquals(await ping(server.url, "guess"), 401);
  const response = await fetch(`${server.url}/mcp`, { method: "POST", body: "{}" });
  assertEquals(response.status, 401);
  await response.body?.cancel();
});

Deno.test("Keys / a damaged keys file: the server does not start", async () => {
  await using folder = await temporaryFolder({ "keys.json": "{" });
  const error = await assertRejects(
    () =>
      startTestServer({
        env: { KB_MCP_KEYS: `${folder.path}/keys.json`, KB_DATA_DIR: `${folder.path}/data` },
      }),
    ConfigError,
  );
  assertMatch(error.message, /^Cannot use the keys file ".*keys\.json" \(KB_MCP_KEYS\): It must be JSON$/);
});
