import { assert, assertEquals } from "@std/assert";
import * as z from "zod";
import { startServer } from "../../src/cli/serve.ts";
import { loadConfig } from "../../src/config/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { defineTool, type Tool, tools } from "../../src/tools/mod.ts";
import { runTool, startTool } from "./tools.ts";

/** Options of {@linkcode checkProxies}. */
export interface ProxyCheckOptions {
  /** Folder for certificates and data. */
  readonly directory: string;
  readonly check: (name: string, run: () => Promise<void>) => Promise<void>;
}

/** A proxy that listens. */
interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Trusts its certificate. */
  readonly client: Deno.HttpClient;
}

const TOKEN = "deploy-token";
/** Larger than a message may be, and than the default limit of nginx (1 MiB). */
const UPLOAD_BYTES = 9 * 2 ** 20;
/** Maximum time for something that happens at once unless a proxy delays it. */
const TIMEOUT_MS = 10_000;

/** Drives a server through nginx and Caddy, each with the configuration in `deploy`. */
export async function checkProxies({ directory, check }: ProxyCheckOptions): Promise<void> {
  for (const [name, start] of [["nginx", startNginx], ["Caddy", startCaddy]] as const) {
    await check(`${name} passes on calls, streams and uploads`, async () => {
      const port = freePort();
      const released = Promise.withResolvers<void>();
      const dataDir = await Deno.makeTempDir({ dir: directory });
      const scheme = name === "nginx" ? "https" : "http";
      const env: Record<string, string> = {
        KB_MCP_PORT: "0",
        KB_MCP_API_KEY: TOKEN,
        KB_MCP_PUBLIC_URL: `${scheme}://127.0.0.1:${port}`,
        KB_DATA_DIR: dataDir,
        KB_EMBEDDINGS_MODEL: "off",
      };
      await using server = await startServer(loadConfig({ env: (name) => env[name], readFile: () => "" }), {
        log: silentLogger,
        defaultDataDir: () => dataDir,
        tools: [...tools, progressTool(released.promise)],
      });
      await using proxy = await start({ upstream: new URL(server.url).host, port, directory: dataDir });
      await checkCalls(proxy);
      await checkStream(proxy, released.resolve);
      await checkUpload(proxy);
      await checkMetrics(proxy);
    });
  }
}

/** A tool that reports progress, and ends when the client has received it. */
function progressTool(received: Promise<void>): Tool {
  return defineTool({
    name: "report_progress",
    title: "Report progress",
    description: "Reports progress.",
    scope: "read",
    input: z.strictObject({}),
    output: z.object({ done: z.boolean() }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run(_, { report }) {
      report({ progress: 1 });
      await received;
      return { done: true };
    },
  }) as unknown as Tool;
}

async function call(
  { url, client }: Proxy,
  name: string,
  args: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${url}/mcp`, {
    client,
    method: "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta: { progressToken: "p" } },
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

async function checkCalls(proxy: Proxy): Promise<void> {
  const response = await call(proxy, "kb_status", {}, { "x-request-id": "deploy-1" });
  assertEquals([response.status, response.headers.get("x-request-id")], [200, "deploy-1"]);
  await response.text();
  const large = await call(proxy, "kb_addnote", { text: "x".repeat(UPLOAD_BYTES) });
  assertEquals(large.status, 413);
  await large.text();
}

/** The tool ends only after the client has received its first event. */
async function checkStream(proxy: Proxy, release: () => void): Promise<void> {
  const response = await call(proxy, "report_progress", {});
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  let text = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("notifications/progress")) release();
  }
  assert(text.includes('"done":true'), text);
}

async function checkUpload(proxy: Proxy): Promise<void> {
  const args = { filename: "large.txt", total_size: UPLOAD_BYTES };
  const started = await call(proxy, "kb_upload_start", args).then((response) => response.json());
  const target: string = started.result.structuredContent.upload_url;
  assert(target.startsWith(`${proxy.url}/uploads/`), target);
  const response = await fetch(target, {
    client: proxy.client,
    method: "PUT",
    body: new Uint8Array(UPLOAD_BYTES).fill(97),
  });
  const body = await response.json();
  assertEquals([response.status, body.received_bytes], [200, UPLOAD_BYTES]);
}

async function checkMetrics({ url, client }: Proxy): Promise<void> {
  const response = await fetch(`${url}/metrics`, { client });
  assertEquals(response.status, 404);
  await response.text();
}

interface ProxyOptions {
  /** Host and port of the server. */
  readonly upstream: string;
  readonly port: number;
  readonly directory: string;
}

async function startNginx({ upstream, port, directory }: ProxyOptions): Promise<Proxy> {
  const [certificate, key] = [`${directory}/certificate.pem`, `${directory}/key.pem`];
  await runTool(
    // deno-fmt-ignore
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
      "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", certificate],
  );
  const site = (await Deno.readTextFile("deploy/nginx/kb-mcp.conf"))
    .replace("server 127.0.0.1:8808", `server ${upstream}`)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace("/etc/ssl/kb.example.com.pem", certificate)
    .replace("/etc/ssl/kb.example.com.key", key);
  const configuration = `${directory}/nginx.conf`;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${directory}/${name};`).join("\n");
  await Deno.writeTextFile(
    configuration,
    `daemon off; pid ${directory}/nginx.pid; error_log stderr;
events {}
http { access_log off;\n${temporary}\n${site}}
`,
  );
  await runTool(["nginx", "-t", "-q", "-c", configuration, "-p", directory]);
  const program = startTool(["nginx", "-c", configuration, "-p", directory]);
  const caCerts = [await Deno.readTextFile(certificate)];
  return await listening(program, { url: `https://127.0.0.1:${port}`, port, caCerts });
}

async function startCaddy({ upstream, port, directory }: ProxyOptions): Promise<Proxy> {
  const url = `http://127.0.0.1:${port}`;
  const path = `${directory}/Caddyfile`;
  const site = await Deno.readTextFile("deploy/caddy/Caddyfile");
  await Deno.writeTextFile(path, `{\n\tadmin off\n}\n\n${site}`);
  const command = ["caddy", "run", "--adapter", "caddyfile", "--config", path] as const;
  const program = startTool(command, {
    KB_SITE: url,
    KB_UPSTREAM: upstream,
    XDG_DATA_HOME: directory,
    XDG_CONFIG_HOME: directory,
  });
  return await listening(program, { url, port, caCerts: [] });
}

/** Waits until a proxy accepts connections. */
async function listening(
  program: ReturnType<typeof startTool>,
  { url, port, caCerts }: { url: string; port: number; caCerts: string[] },
): Promise<Proxy> {
  let ended = false;
  program.ended.then(() => ended = true);
  for (const deadline = performance.now() + TIMEOUT_MS;;) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      break;
    } catch (error) {
      if (ended || performance.now() > deadline) {
        await program[Symbol.asyncDispose]();
        throw new Error(`The proxy does not listen:\n${await program.output}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const client = Deno.createHttpClient({ caCerts });
  return {
    url,
    client,
    async [Symbol.asyncDispose]() {
      client.close();
      await program[Symbol.asyncDispose]();
    },
  };
}

/** Returns a port that is free now. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
