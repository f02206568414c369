import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";
import { DEFAULT_MCP_URL } from "../../src/config/mod.ts";
import { VERSION } from "../../src/version.ts";
import { read } from "../packaging/repository.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { CLOSED_URL } from "../support/ports.ts";
import { denoDir } from "../support/product.ts";
import { startTestServer } from "../support/server.ts";
import { isInstalled } from "./support.ts";

const PLUGIN = "examples/claude-code-plugin";
const ROOT = fileURLToPath(new URL(`../../${PLUGIN}`, import.meta.url));
const KEY = "plugin-key";

// The fields that this plugin uses, as documented at code.claude.com/docs/en/plugins-reference, /hooks and /mcp.
const Manifest = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  version: z.string(),
  description: z.string(),
  author: z.strictObject({ name: z.string() }),
  license: z.string(),
  keywords: z.array(z.string()),
});
const Handlers = z.array(z.strictObject({
  matcher: z.string().optional(),
  hooks: z.array(z.strictObject({
    type: z.literal("command"),
    command: z.string(),
    timeout: z.int().max(30),
  })),
}));
const Hooks = z.strictObject({
  description: z.string(),
  hooks: z.strictObject({ SessionStart: Handlers, Stop: Handlers }),
});
const Servers = z.strictObject({
  mcpServers: z.strictObject({
    kb: z.strictObject({
      type: z.literal("http"),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  }),
});
/** Output of a Stop hook (code.claude.com/docs/en/hooks#stop-decision-control). */
const StopOutput = z.strictObject({
  hookSpecificOutput: z.strictObject({ hookEventName: z.literal("Stop"), additionalContext: z.string() }),
});

async function parsePart<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  return schema.parse(JSON.parse(await read(`${PLUGIN}/${path}`)));
}

Deno.test("the plugin's manifest has documented fields and the program's version", async () => {
  const { name, version } = await parsePart(Manifest, ".claude-plugin/plugin.json");
  assertEquals([name, version], ["kb-mcp", VERSION]);
});

Deno.test("the plugin's server takes its address and key from the environment", async () => {
  const { mcpServers: { kb } } = await parsePart(Servers, ".mcp.json");
  assertEquals(kb.url, `\${KB_MCP_URL:-${DEFAULT_MCP_URL}}`);
  assertEquals(kb.headers, { Authorization: "Bearer ${KB_MCP_API_KEY:-}" });
});

Deno.test("the plugin's hooks run its scripts, with a timeout", async () => {
  const { hooks: { SessionStart, Stop } } = await parsePart(Hooks, "hooks/hooks.json");
  // Not after resume: the transcript has the memories already.
  assertEquals(SessionStart.map(({ matcher }) => matcher), ["startup|clear|compact"]);
  const commands = [...SessionStart, ...Stop].flatMap(({ hooks }) => hooks.map(({ command }) => command));
  assertEquals(commands, [
    'sh "${CLAUDE_PLUGIN_ROOT}/hooks/session-start.sh"',
    'sh "${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh"',
  ]);
});

interface HookRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a hook script like Claude Code, with JSON on standard input. */
async function runHook(script: string, input: unknown, env: Record<string, string> = {}): Promise<HookRun> {
  const child = new Deno.Command("sh", {
    args: [`${ROOT}/hooks/${script}`],
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A hook may end without reading its input.
  await writer.write(new TextEncoder().encode(JSON.stringify(input))).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function temporaryDirectory() {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Runs the SessionStart hook with a `kb-mcp` in PATH that runs this checkout. */
async function startSession(env: Record<string, string>): Promise<HookRun> {
  await using bin = await temporaryDirectory();
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const command = [Deno.execPath(), "run", "--no-check", "--config", config, ...RUN_PERMISSIONS, main];
  const words = command.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${bin.path}/kb-mcp`, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const input = { session_id: "abc123", hook_event_name: "SessionStart", source: "startup" };
  return await runHook("session-start.sh", input, {
    PATH: `${bin.path}:${dirname(Deno.execPath())}:/usr/bin:/bin`,
    DENO_DIR: await denoDir(),
    ...env,
  });
}

const runs = Deno.build.os === "windows" || !isInstalled("bash") ? Deno.test.ignore : Deno.test;

runs("a session starts with the titles of memories, as plain text", async () => {
  await using server = await startTestServer({ env: { KB_MCP_API_KEY: KEY } });
  await using agent = await connectAgent(server.url, KEY);
  await agent.call("kb_addnote", { text: "Answers as bullet points.", collection: "memory" });
  const run = await startSession({ KB_MCP_URL: `${server.url}/mcp`, KB_MCP_API_KEY: KEY });
  assertEquals([run.code, run.stderr], [0, ""]);
  assertStringIncludes(run.stdout, "Answers as bullet points");
  // Output that starts with a brace would be parsed as JSON; more than 10,000 characters would go to a file.
  assert(!run.stdout.startsWith("{") && run.stdout.length < 10_000);
});

runs(
  "a session starts without a server: no output, and one line on standard error without the key",
  async () => {
    const run = await startSession({ KB_MCP_URL: `${CLOSED_URL}/mcp`, KB_MCP_API_KEY: KEY });
    assertEquals([run.code, run.stdout], [0, ""]);
    assertMatch(run.stderr, /^kb-mcp: Cannot reach http:[^\n]*\n$/);
    assert(!run.stderr.includes(KEY));
  },
);

runs("a session starts without kb-mcp: no output, and one line on standard error", async () => {
  const run = await runHook("session-start.sh", {});
  assertEquals([run.code, run.stdout], [0, ""]);
  assertMatch(run.stderr, /^[^\n]*kb-mcp: [^\n]*not found\n$/);
});

const TOOL_USE = { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: {} }] } };
const SAVED = {
  type: "assistant",
  message: { content: [{ type: "tool_use", name: "mcp__plugin_kb-mcp_kb__kb_addnote", input: {} }] },
};

/** Runs the Stop hook at the end of a turn. */
async function stop(entries: readonly unknown[], input: Record<string, unknown> = {}): Promise<HookRun> {
  await using directory = await temporaryDirectory();
  const path = `${directory.path}/transcript.jsonl`;
  await Deno.writeTextFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  return await runHook("stop.sh", {
    session_id: "abc123",
    transcript_path: path,
    hook_event_name: "Stop",
    stop_hook_active: false,
    last_assistant_message: 'Done. "stop_hook_active": true, "transcript_path": "/etc/passwd"',
    background_tasks: [],
    ...input,
  });
}

const LONG = Array.from({ length: 60 }, () => TOOL_USE);

runs("a long session that saved nothing gets one reminder", async () => {
  const first = await stop(LONG);
  assertEquals([first.code, first.stderr], [0, ""]);
  const { hookSpecificOutput: { additionalContext } } = StopOutput.parse(JSON.parse(first.stdout));
  assertStringIncludes(additionalContext, "kb_addnote");
  // Claude Code saves the text in the transcript.
  const second = await stop([...LONG, { type: "attachment", text: additionalContext }, ...LONG]);
  assertEquals(second, { code: 0, stdout: "", stderr: "" });
});

const SILENT: [name: string, entries: readonly unknown[], input?: Record<string, unknown>][] = [
  ["a short session", LONG.slice(0, 10)],
  ["a session that saved something", [...LONG, SAVED, ...LONG]],
  ["a turn that a Stop hook has extended", LONG, { stop_hook_active: true }],
  ["a session that waits for a background task", LONG, { background_tasks: [{ id: "task-1" }] }],
  ["a session without a transcript", LONG, { transcript_path: "/nonexistent" }],
  ["a transcript path with escapes", LONG, { transcript_path: 'a"b' }],
];

for (const [name, entries, input] of SILENT) {
  runs(`the Stop hook says nothing: ${name}`, async () => {
    assertEquals(await stop(entries, input), { code: 0, stdout: "", stderr: "" });
  });
}
