import { assert, assertEquals, assertMatch } from "@std/assert";
import * as z from "zod";
import { connectAgent } from "../support/mcp_client.ts";
import { parseMetrics, valueOf } from "../support/prometheus.ts";
import { startTestServer } from "../support/server.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { tools } from "../../src/tools/mod.ts";

type Line = Readonly<Record<string, unknown>>;

const CALL_EVENTS = ["tool called", "request handled", "engine request", "http request"];

/** A server with an embedded engine whose log is recorded. */
async function startRecorded() {
  const lines: Line[] = [];
  const log = createLogger("debug", { format: "json", write: (line) => lines.push(JSON.parse(line)) });
  const server = await startTestServer({ log, env: { KB_METRICS_TOKEN: "m3trics", KB_MCP_API_KEY: "k3y" } });
  return {
    server,
    /** Returns the lines of calls since the last time. A slow machine also logs what a tool skips. */
    take: () => lines.splice(0).filter(({ event }) => CALL_EVENTS.includes(String(event))),
    /** Returns all lines. */
    all: () => lines.splice(0),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Calls a tool with raw HTTP, as a client named `tester`. */
async function callTool(
  url: string,
  name: string,
  args: Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: "Bearer k3y",
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": "tester/1",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  return { headers: response.headers, result: (await response.json()).result };
}

const withoutTime = ({ time: _, duration_ms, ...line }: Line): Line => {
  if (duration_ms !== undefined) assert(Number.isInteger(duration_ms), `${duration_ms}`);
  return line;
};

Deno.test("calls are logged, counted and followed by their ids", async (t) => {
  await using recorded = await startRecorded();
  const { server: { url }, take, all } = recorded;
  take();

  await t.step("a call that writes is one line at info, with the client's request id", async () => {
    const { headers, result } = await callTool(url, "kb_addnote", { text: "Herons nest in spring." }, {
      "x-request-id": "trace-1",
    });
    assertEquals([headers.get("x-request-id"), result.structuredContent.document_id], ["trace-1", 1]);
    assertEquals(take().map(withoutTime), [{
      level: "info",
      event: "tool called",
      tool: "kb_addnote",
      outcome: "ok",
      document_id: 1,
      job_id: 1,
      caller: "tester",
      request_id: "trace-1",
    }]);
  });

  await t.step("a call that reads is one line at debug, with a new id", async () => {
    const { headers } = await callTool(url, "kb_search", { query: "herons" }, { "x-request-id": "bad id" });
    const id = headers.get("x-request-id");
    assertMatch(id ?? "", /^[\w-]{8}$/);
    assertEquals(take().map(withoutTime), [{
      level: "debug",
      event: "tool called",
      tool: "kb_search",
      outcome: "ok",
      caller: "tester",
      request_id: id,
    }]);
  });

  await t.step("failed calls have a code", async () => {
    await callTool(url, "kb_delete", { document_id: 99 });
    await callTool(url, "kb_delete", {});
    await callTool(url, "no_such_tool", {});
    await callTool(url, "kb_edit", { document_id: 1, if_version: 7, title: "x" });
    assertEquals(take().map(({ level, tool, method, outcome }) => [level, tool ?? method, outcome]), [
      ["info", "kb_delete", "not_found"],
      ["info", "kb_delete", "invalid_arguments"],
      ["debug", "tools/call", "invalid"],
      ["info", "kb_edit", "conflict"],
    ]);
  });

  await t.step("a client's name cannot forge a line", async () => {
    const name = 'x\n{"level":"error"}\u202e';
    await using agent = await connectAgent(url, "k3y");
    await agent.client.ping();
    take();
    await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        authorization: "Bearer k3y",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "kb_status",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "kb_status",
          arguments: {},
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name, version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    }).then((response) => response.text());
    const [line, ...more] = take();
    assertEquals([line?.["tool"], line?.["level"], more], ["kb_status", "debug", []]);
    assertEquals(String(line?.["caller"]).includes("\n"), false);
  });

  await t.step("no argument, token or path is ever logged", async () => {
    const canary = "c4nary-in-the-mine";
    for (const tool of tools) await callTool(url, tool.name, fill(tool.input, canary));
    const note = { text: `${canary} text`, title: canary, tags: [canary], source_path: `${canary}.md` };
    await callTool(url, "kb_addnote", note);
    await callTool(url, "kb_search", { query: canary });
    await callTool(url, "kb_get", { document_id: 2 });
    await callTool(url, "kb_edit", { document_id: 2, append: `${canary} again` });
    await callTool(url, "kb_delete", { document_id: 2 });
    await fetch(`${url}/uploads/${canary}`, { method: "PUT", body: canary }).then((response) =>
      response.text()
    );
    await fetch(`${url}/${canary}?q=${canary}`, { headers: { authorization: `Bearer ${canary}` } })
      .then((response) => response.text());
    await callTool(url, canary, {}, { authorization: `Bearer ${canary}` });
    const lines = all();
    assert(lines.length > tools.length + 5);
    assertEquals(lines.filter((line) => JSON.stringify(line).includes(canary)), []);
  });

  await t.step("metrics count what has happened", async () => {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer m3trics" } });
    assertEquals(
      [response.status, response.headers.get("content-type")],
      [200, "text/plain; version=0.0.4; charset=utf-8"],
    );
    const metrics = parseMetrics(await response.text());
    const calls = (tool: string, outcome: string) =>
      valueOf(metrics, "kb_mcp_requests_total", { method: "tools/call", tool, outcome });
    assert(calls("kb_delete", "not_found")! >= 1);
    assertEquals(calls("unknown", "invalid"), 1);
    assert(valueOf(metrics, "kb_mcp_request_duration_seconds_count", { tool: "kb_search" })! >= 2);
    assert(valueOf(metrics, "kb_engine_requests_total", { route: "search", outcome: "ok" })! >= 2);
    assertEquals(valueOf(metrics, "kb_http_rejected_total", { server: "mcp", reason: "unauthorized" }), 1);
    assertEquals(valueOf(metrics, "kb_mcp_requests_in_flight"), 0);
    assert(valueOf(metrics, "kb_http_connections", { server: "mcp" })! >= 1);
    assertEquals(valueOf(metrics, "kb_engine_jobs", { status: "queued" }), 0);
    assert(valueOf(metrics, "kb_engine_chunks")! >= 1);
    assert(valueOf(metrics, "kb_engine_storage_bytes", { kind: "database" })! > 4096);
    assert(valueOf(metrics, "kb_engine_commit_duration_seconds_count")! >= 1);

    const docs = await Deno.readTextFile(new URL("../../docs/observability.md", import.meta.url));
    const documented = [...docs.matchAll(/^\| `(\w+)` +\| (.*?) \|/gm)].map(([, name]) => name!);
    assertEquals(
      documented.filter((name) => /^(?:kb|process)_/.test(name)).sort(),
      [...metrics.keys()].sort(),
    );

    const dashboard = await Deno.readTextFile(
      new URL("../../deploy/telemetry/grafana/kb-mcp.json", import.meta.url),
    );
    const queries: string[] = JSON.parse(dashboard).panels.flatMap((
      { targets }: { targets: { expr: string }[] },
    ) => targets.map(({ expr }) => expr));
    const names = queries.flatMap((query) => query.match(/\b(?:kb|process)_\w+/g) ?? []);
    const isExposed = (name: string) =>
      metrics.has(name) || metrics.has(name.replace(/_(?:bucket|sum|count)$/, ""));
    assert(names.length >= queries.length);
    assertEquals(names.filter((name) => !isExposed(name)), []);
  });
});

/** Returns arguments of the types that a schema requires, with a text in every one that takes text. */
function fill(input: z.ZodType, text: string): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(input, { io: "input" });
  return Object.fromEntries(
    Object.entries(properties).map((
      [name, schema],
    ) => [name, valueFor(schema as Record<string, unknown>, text)]),
  );
}

function valueFor(schema: Record<string, unknown>, text: string): unknown {
  const types = JSON.stringify(schema);
  if (types.includes('"string"')) return schema["type"] === "array" ? [text] : text;
  return types.includes('"boolean"') ? true : 1;
}
