import { assert, assertEquals, assertMatch } from "@std/assert";
import { startProgram } from "../support/program.ts";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface ExportedSpan extends Omit<Span, "attributes"> {
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";

/** A collector of OTLP over HTTP, and an embeddings API, that keep what they receive. */
function startCollector() {
  const spans: Span[] = [];
  const metrics = new Set<string>();
  /** The trace of each embedded text. */
  const embeddingTraces = new Map<string, string | null>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const body = await request.json();
    if (pathname === "/v1/embeddings") {
      const texts: string[] = [body.input].flat();
      for (const text of texts) embeddingTraces.set(text, request.headers.get("traceparent"));
      const data = texts.map((_, index) => ({ index, embedding: [1, 0] }));
      return Response.json({ data });
    }
    for (const { scopeSpans } of body.resourceSpans ?? []) {
      for (const { spans: exported } of scopeSpans) spans.push(...exported.map(toSpan));
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? []) {
      for (const { metrics: exported } of scopeMetrics) {
        for (const { name } of exported) metrics.add(name);
      }
    }
    return Response.json({});
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, server, spans, metrics, embeddingTraces };
}

function toSpan({ attributes, ...span }: ExportedSpan): Span {
  return {
    ...span,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  };
}

async function callTool(url: string, name: string, args: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`,
      "x-request-id": `call-${name}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  assertEquals((await response.json()).result.isError, undefined);
}

Deno.test("with OTEL_DENO=true, spans and metrics follow a call from the client to SQL", async () => {
  const collector = startCollector();
  const dataDir = await Deno.makeTempDir();
  try {
    await using program = await startProgram(["serve"], {
      KB_DATA_DIR: dataDir,
      KB_EMBEDDINGS_URL: `${collector.url}/v1`,
      KB_EMBEDDINGS_MODEL: "test",
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    await callTool(program.url, "kb_addnote", { text: "Herons nest in spring." });
    await callTool(program.url, "kb_search", { query: "herons" });
    program.child.kill("SIGTERM");
    assertEquals((await program.child.status).code, 0);
  } finally {
    await collector.server.shutdown();
    await Deno.remove(dataDir, { recursive: true });
  }

  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const find = (name: string, id: string) => {
    const found = spans.find((span) =>
      span.name === name && span.attributes["kb.request_id"] === `call-${id}`
    );
    assert(found, `${name} is missing in ${spans.map(({ name }) => name).join()}`);
    return found;
  };
  const pathOf = (span: Span): string[] => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent ? [...pathOf(parent), span.name] : [span.parentSpanId, span.name];
  };
  const write = find("write addNote", "kb_addnote");
  assertEquals(pathOf(write), [CLIENT_SPAN, "HTTP POST", "tool kb_addnote", "engine", "write addNote"]);
  for (const phase of ["search terms", "search read"]) {
    assertEquals(pathOf(find(phase, "kb_search")).slice(1), [
      "HTTP POST",
      "tool kb_search",
      "engine",
      "thread searchPage",
      phase,
    ]);
  }
  assertEquals(find("HTTP POST", "kb_search").attributes["http.response.status_code"], 200);
  assertEquals(find("tool kb_search", "kb_search").attributes["kb.outcome"], "ok");
  // The note may be embedded after the query.
  assertMatch(
    collector.embeddingTraces.get("herons") ?? "",
    new RegExp(`^00-${TRACE}-`),
    "the request to the embedding model continues the trace",
  );
  assert(!JSON.stringify(collector.spans).includes("erons"), "spans contain no text");
  for (const name of ["kb_mcp_requests", "kb_engine_request_duration_seconds"]) {
    assert(collector.metrics.has(name), name);
  }
});
