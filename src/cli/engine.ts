import type { Config } from "../config/mod.ts";
import { hostPolicy, isLoopback, LOOPBACK_HOSTS } from "../http/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import type { Service } from "./lifecycle.ts";
import { listen } from "./listen.ts";
import { openEngine } from "./open_engine.ts";

/** A running engine. */
export interface RunningEngine extends Service, AsyncDisposable {
  /** What `KB_ENGINE_URL` of an MCP server on this machine is set to. */
  readonly url: string;
  readonly dataDir: string;
  /** Loads now what the first write would have to wait for. */
  warmUp(): void;
}

/** How long running requests may take to finish once the engine shuts down, in milliseconds. */
const DRAIN_MS = 5000;

/**
 * The composition root of `kb-mcp engine`: the embedded engine alone, over HTTP.
 *
 * @throws {ConfigError} When a setting cannot be used: the port, the data directory.
 */
export async function startEngine(
  config: Config,
  options: { log: Logger; defaultDataDir: () => string },
): Promise<RunningEngine> {
  const { log } = options;
  await using undo = new AsyncDisposableStack();
  const { engine, dataDir } = await openEngine(config, options);
  undo.use(engine);
  const local = isLoopback(config.KB_ENGINE_HOST);
  if (config.KB_API_KEY === undefined && !local) {
    log.warn(
      "NO KEY SET: anyone who reaches this address can read, change and delete everything. Set KB_API_KEY",
      {
        bind: config.KB_ENGINE_HOST,
      },
    );
  }
  // Browsers have no business with an engine, and a page could post a form to one on a loopback address.
  const isAllowedHost = hostPolicy(local ? LOOPBACK_HOSTS : undefined);
  const listening = listen({
    hostname: config.KB_ENGINE_HOST,
    port: config.KB_ENGINE_PORT,
    settings: "KB_ENGINE_HOST and KB_ENGINE_PORT",
    handler: (request) =>
      isAllowedHost(request.headers.get("host")) && !request.headers.has("origin")
        ? engine.fetch(request)
        : Promise.resolve(forbidden()),
    log,
  });
  const parts = undo.move();
  let stopped: Promise<void> | undefined;
  const shutdown = () =>
    stopped ??= (async () => {
      await listening.close(DRAIN_MS);
      await parts.disposeAsync();
    })();
  const warmUp = () => engine.warmUp();
  return { url: listening.url, dataDir, warmUp, shutdown, [Symbol.asyncDispose]: shutdown };
}

function forbidden(): Response {
  const message =
    "Forbidden: an engine on a loopback address answers loopback names only, and no browser pages";
  return Response.json({ error: { code: "unauthorized", message } }, { status: 403 });
}
