import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "yaml";
import { z } from "zod";
import { type Config, describeSettings, loadConfig } from "../../src/config/mod.ts";
import { read } from "./repository.ts";

const Service = z.object({
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string().nullable()),
  mem_limit: z.string(),
  pids_limit: z.number(),
  ulimits: z.object({ nofile: z.number() }),
  image: z.string(),
  user: z.string().optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal("ALL")]),
  security_opt: z.tuple([z.literal("no-new-privileges:true")]),
  healthcheck: z.object({ test: z.array(z.string()) }),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
const Compose = z.object({ services: z.object({ engine: Service, mcp: Service }) });

const MiB = 2 ** 20;
/** Maximum resident memory of a process, see docs/limits.md. */
const MAX_RSS_BYTES = 400 * MiB;

async function services() {
  return Compose.parse(parse(await read("compose.yaml"), { merge: true })).services;
}

/** Returns the instructions of the last stage of the Dockerfile, one per line. */
async function finalStage(): Promise<string[]> {
  const lines = (await read("Dockerfile")).replaceAll(/\\\n\s*/g, "").split("\n").filter((line) =>
    /^[A-Z]/.test(line)
  );
  return lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
}

type ServiceConfig = z.output<typeof Service>;

/** Parses the environment of a service like `kb-mcp` in its container, when only the required variables are set. */
function configOf({ environment }: ServiceConfig): Config {
  // A variable without a value is passed on from the shell, and is not set without one there.
  const env = (name: string) => environment[name] == null ? undefined : substituted(environment[name]);
  return loadConfig({ env, readFile: () => "" });
}

/**
 * Expands `${NAME:-default}` and `${NAME:?message}` like Compose when only the required variables are set.
 */
function substituted(value: string): string {
  return value.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, __, fallback) => fallback ?? "given");
}

Deno.test("the image sets exactly the image defaults of the configuration table", async () => {
  const env = (await finalStage()).filter((line) => line.startsWith("ENV ")).flatMap((line) =>
    line.slice(4).split(/\s+/)
  );
  const expected = describeSettings().filter((row) => row.imageDefault !== undefined).map((row) =>
    `${row.name}=${row.imageDefault}`
  );
  assertEquals(env.sort(), expected.sort());
});

Deno.test("the image runs as an unprivileged user with a data volume and a health check", async () => {
  const stage = await finalStage();
  assertMatch(stage[0] ?? "", /:nonroot$/);
  assert(stage.includes("USER 65532:65532"));
  assert(stage.includes("VOLUME /data"));
  assert(stage.includes("EXPOSE 8808"));
  assert(stage.includes('ENTRYPOINT ["/usr/local/bin/kb-mcp"]'));
  assert(stage.includes('CMD ["serve"]'));
  assertStringIncludes(
    stage.find((line) => line.startsWith("HEALTHCHECK ")) ?? "",
    'CMD ["/usr/local/bin/kb-mcp", "healthcheck"]',
  );
});

Deno.test("compose runs both roles from one image and waits for a healthy engine", async () => {
  const { engine, mcp } = await services();
  assertEquals(engine.image, mcp.image);
  assertEquals([engine.command, mcp.command], [["engine"], ["serve"]]);
  assertEquals(mcp.environment.KB_ENGINE_URL, "http://engine:8000");
  assertEquals(mcp.depends_on, { engine: { condition: "service_healthy" } });
  assertEquals(engine.healthcheck.test, ["CMD", "/usr/local/bin/kb-mcp", "healthcheck", "engine"]);
  assertEquals(mcp.healthcheck.test, ["CMD", "/usr/local/bin/kb-mcp", "healthcheck"]);
  assertEquals(engine.volumes, ["data:/data"]);
});

Deno.test("compose publishes only the MCP port, on loopback", async () => {
  const { engine, mcp } = await services();
  assertEquals(engine.ports, []);
  assertEquals(mcp.ports.map(substituted), ["127.0.0.1:8808:8808"]);
});

Deno.test("compose requires both keys and contains neither", async () => {
  const { engine, mcp } = await services();
  assertMatch(engine.environment.KB_API_KEY ?? "", /^\$\{KB_API_KEY:\?.+\}$/);
  assertEquals(mcp.environment.KB_API_KEY, engine.environment.KB_API_KEY);
  assertMatch(mcp.environment.KB_MCP_API_KEY ?? "", /^\$\{KB_MCP_API_KEY:\?.+\}$/);
});

Deno.test("compose sets only variables that each role reads, to valid values", async () => {
  for (const [role, service] of Object.entries(await services())) {
    const known = new Set<string>(
      describeSettings(role === "mcp" ? "serve" : "engine").map((row) => row.name),
    );
    assertEquals(Object.keys(service.environment).filter((name) => !known.has(name)), [], role);
    configOf(service);
  }
});

Deno.test("compose gives /tmp more memory than the staging quota", async () => {
  const { mcp } = await services();
  const config = configOf(mcp);
  const size = tmpfsBytes(mcp);
  assert(config.KB_UPLOAD_MAX_STAGED < size, `${config.KB_UPLOAD_MAX_STAGED} must be less than ${size}`);
  assert(config.KB_UPLOAD_MAX_BYTES <= config.KB_UPLOAD_MAX_STAGED);
});

/** Returns the size of the tmpfs on /tmp, in bytes. */
function tmpfsBytes({ tmpfs }: ServiceConfig): number {
  return Number(/^\/tmp:size=(\d+)m/.exec(tmpfs[0] ?? "")?.[1]) * MiB;
}

Deno.test("compose passes no empty key to a container, which would refuse to start", async () => {
  for (const { environment } of Object.values(await services())) {
    const keys = Object.entries(environment).filter(([name]) => name.endsWith("_API_KEY"));
    for (const [name, value] of keys) assert(value === null || /^\$\{\w+:\?.+\}$/.test(value), name);
  }
});

Deno.test("compose limits memory, processes and descriptors of both containers above their needs", async () => {
  const { engine, mcp } = await services();
  const memory = ({ mem_limit }: ServiceConfig) => Number(/^(\d+)g$/.exec(mem_limit)?.[1]) * 1024 * MiB;
  const { KB_VECTOR_MEMORY, KB_EXTRACT_MEMORY } = configOf(engine);
  const engineBytes = MAX_RSS_BYTES + KB_VECTOR_MEMORY + KB_EXTRACT_MEMORY + tmpfsBytes(engine);
  assert(memory(engine) > engineBytes, `${engine.mem_limit} must be more than ${engineBytes} bytes`);
  const mcpBytes = MAX_RSS_BYTES + tmpfsBytes(mcp);
  assert(memory(mcp) > mcpBytes, `${mcp.mem_limit} must be more than ${mcpBytes} bytes`);
  for (const service of [engine, mcp]) {
    assertEquals(service.pids_limit, 1024);
    const { KB_MCP_MAX_CONNECTIONS, KB_ENGINE_MAX_CONNECTIONS } = configOf(service);
    assert(service.ulimits.nofile > 2 * Math.max(KB_MCP_MAX_CONNECTIONS, KB_ENGINE_MAX_CONNECTIONS));
  }
});
