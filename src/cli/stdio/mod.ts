/**
 * `kb-mcp stdio`: MCP over standard input and output, for clients that only start commands.
 *
 * @module
 */
import { type Config, ConfigError, SETTINGS } from "../../config/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { connectEngine } from "../connect_engine.ts";
import { randomToken } from "../local_file.ts";
import { startServer } from "../serve.ts";
import { StopSignal } from "../stop_signal.ts";
import { Bridge } from "./bridge.ts";
import { readLines } from "./lines.ts";
import { SharedEngine } from "./shared_engine.ts";

/** Options of {@linkcode runStdio}. */
export interface StdioOptions {
  /** MCP endpoint of a running server. @default `KB_MCP_URL`; without it, a server in this process */
  readonly url?: string | undefined;
  readonly log: Logger;
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** @default {Deno.stdin.readable} */
  readonly input?: ReadableStream<Uint8Array>;
  /** @default {Deno.stdout.writable} */
  readonly output?: WritableStream<Uint8Array>;
}

/** A server that the bridge forwards to. */
interface Endpoint extends AsyncDisposable {
  readonly url: string;
  readonly key: string | undefined;
}

/** Options of {@linkcode openEndpoint}. */
type EndpointOptions = StdioOptions & { readonly signal: AbortSignal };

/** Maximum time for running requests after the end of the input, in milliseconds. */
const FLUSH_TIMEOUT_MS = 10_000;

const encoder = new TextEncoder();

/**
 * Serves one client over standard input and output until the input ends or a signal arrives.
 *
 * @returns The exit status: 0 at the end of the input, 128 + N for signal N.
 * @throws {ConfigError} When a setting or the data directory cannot be used.
 * @throws {ExitError} When the data is damaged, or in use by a process that cannot be reached.
 */
export async function runStdio(config: Config, options: StdioOptions): Promise<number> {
  const { input = Deno.stdin.readable, output = Deno.stdout.writable, log } = options;
  using stop = new StopSignal();
  await using endpoint = await openEndpoint(config, { ...options, signal: stop.signal });
  const writer = output.getWriter();
  let written = Promise.resolve();
  const bridge = new Bridge({
    ...endpoint,
    log,
    write: (json) => {
      written = written.then(() => writer.write(encoder.encode(`${json}\n`)))
        // The client has closed its end.
        .catch(() => bridge.close());
    },
  });
  const maxBytes = config.KB_MCP_MAX_BODY;
  const reader = input.pipeThrough(new TransformStream(), { signal: stop.signal });
  try {
    for await (const line of readLines(reader, { maxBytes })) {
      if ("text" in line) bridge.receive(line.text);
      else bridge.rejectLine(line, maxBytes);
    }
    await settle(bridge.idle(), stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  bridge.close();
  await bridge.idle();
  await written;
  return stop.exitStatus;
}

/** Waits for a promise, up to a timeout or until a signal arrives. */
async function settle(done: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([done, stopped]);
  clearTimeout(timer);
}

async function openEndpoint(config: Config, options: EndpointOptions): Promise<Endpoint> {
  const url = parseUrl(options.url) ?? config.KB_MCP_URL;
  if (url !== undefined) {
    options.log.info("forwarding to a running server", { url });
    return { url, key: config.KB_MCP_API_KEY, async [Symbol.asyncDispose]() {} };
  }
  return await startEmbeddedServer(config, options);
}

/**
 * Starts a server for this process alone, on a free port of 127.0.0.1 with a random token. It listens, because clients
 * upload files to it over HTTP.
 */
async function startEmbeddedServer(config: Config, options: EndpointOptions): Promise<Endpoint> {
  const { log, defaultDataDir } = options;
  await using resources = new AsyncDisposableStack();
  const connected = config.KB_ENGINE_URL === undefined
    ? resources.use(await SharedEngine.open(config, options)).connect()
    : await connectEngine(config, options);
  const key = randomToken();
  let warmedUp = Promise.resolve();
  // After the server has stopped, before the engine is closed.
  resources.defer(() => warmedUp);
  const server = resources.use(
    await startServer({
      ...config,
      KB_MCP_HOST: "127.0.0.1",
      KB_MCP_PORT: 0,
      KB_MCP_API_KEY: key,
      // The only caller is the client that started this process, as the user whose data it is.
      KB_MCP_KEYS: undefined,
      KB_MCP_PUBLIC_URL: undefined,
      KB_MCP_ALLOWED_HOSTS: undefined,
    }, { log, defaultDataDir, connected }),
  );
  const owned = resources.move();
  warmedUp = server.warmUp();
  return { url: `${server.url}/mcp`, key, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function parseUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { success, data, error } = SETTINGS.KB_MCP_URL.schema.safeParse(url);
  if (success) return data;
  throw new ConfigError(`--url must be ${error.issues[0]?.message}, got ${JSON.stringify(url)}`);
}
