import { connectFailure } from "../../client/mod.ts";
import type { Config } from "../../config/mod.ts";
import type { Engine } from "../../engine/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { fetchOnce } from "../../web/mod.ts";
import { type ConnectedEngine, embeddedClient } from "../connect_engine.ts";
import { findLocalServer } from "../find_local_server.ts";
import { EX_UNAVAILABLE, ExitError } from "../exit_status.ts";
import { type LocalEndpoint, openLocalEndpoint } from "../local_endpoint.ts";
import { type LocalFile, randomToken } from "../local_file.ts";
import { openEngine } from "../open_engine.ts";
import { isInUse, retryWhileInUse } from "../retry_while_in_use.ts";

/** Options of {@linkcode SharedEngine.open}. */
export interface SharedEngineOptions {
  readonly log: Logger;
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** Ends the wait for another process. */
  readonly signal: AbortSignal;
}

/** The engine of another process, or of this one. */
type Target =
  | { readonly server: LocalFile }
  | { readonly engine: Engine; readonly endpoint: LocalEndpoint | undefined };

/**
 * Maximum time to wait for a process that has the data directory and has not written its address yet, or is stopping, in
 * milliseconds.
 */
const MAX_WAIT_MS = 10_000;

const JSON_TYPE = "application/json";

/**
 * The engine of a data directory that several programs use at the same time: the first one opens it and serves it to
 * the others, at the address in `local.json`. When that program ends, one of the others takes over.
 */
export class SharedEngine implements AsyncDisposable {
  readonly #config: Config;
  readonly #options: SharedEngineOptions;
  readonly #dataDir: string;
  #target: Target | undefined;
  #connecting: Promise<Target> | undefined;

  private constructor(config: Config, options: SharedEngineOptions) {
    this.#config = config;
    this.#options = options;
    this.#dataDir = config.KB_DATA_DIR ?? options.defaultDataDir();
  }

  /**
   * Connects to the engine of the configured data directory.
   *
   * @throws {ExitError} When its data is damaged, or in use by a process that cannot be reached.
   * @throws {ConfigError} When the data directory cannot be used.
   */
  static async open(config: Config, options: SharedEngineOptions): Promise<SharedEngine> {
    const shared = new SharedEngine(config, options);
    await shared.#connected();
    return shared;
  }

  /** Returns a client of this engine. */
  connect(): ConnectedEngine {
    const client = embeddedClient(
      { fetch: (request) => this.#fetch(request), local: () => this.#local() },
      this.#config,
      this.#options.log,
    );
    return {
      client,
      engine: undefined,
      dataDir: undefined,
      isEmbedded: true,
      name: `embedded, data in ${this.#dataDir}`,
    };
  }

  /** Closes the engine, if this process has opened it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const target = await this.#connecting?.catch(() => undefined) ?? this.#target;
    if (!target || "server" in target) return;
    await target.endpoint?.shutdown();
    await target.engine.close();
  }

  /** Returns the engine, if this process has opened it. */
  #local(): Engine | undefined {
    return this.#target && "engine" in this.#target ? this.#target.engine : undefined;
  }

  async #fetch(request: Request): Promise<Response> {
    // A stream can be sent once only, so its receiver is checked first.
    const isRepeatable = request.body === null || request.headers.get("content-type") === JSON_TYPE;
    if (!isRepeatable) await this.#reconnect();
    const target = await this.#connected();
    if ("engine" in target) return await target.engine.fetch(request);
    const copy = isRepeatable ? request.clone() : undefined;
    try {
      return await fetchFrom(target.server, request);
    } catch (error) {
      if (!copy || connectFailure(error) === undefined) throw error;
    }
    // The process has ended before it received anything.
    await this.#reconnect();
    const next = await this.#connected();
    return "engine" in next ? await next.engine.fetch(copy) : await fetchFrom(next.server, copy);
  }

  async #connected(): Promise<Target> {
    return this.#target ?? await this.#reconnect();
  }

  /** Connects again, unless this process has the engine. Concurrent calls share one attempt. */
  async #reconnect(): Promise<Target> {
    if (this.#target && "engine" in this.#target) return this.#target;
    this.#connecting ??= this.#connect().finally(() => this.#connecting = undefined);
    return this.#target = await this.#connecting;
  }

  async #connect(): Promise<Target> {
    const { signal } = this.#options;
    const connect = async (): Promise<Target> => {
      const server = await findLocalServer(this.#dataDir);
      return server ? { server } : await this.#open();
    };
    return await retryWhileInUse(connect, { maxWaitMs: MAX_WAIT_MS, signal }).catch((error) => {
      if (!isInUse(error)) throw error;
      throw new ExitError(EX_UNAVAILABLE, `${error.message}. It could not be reached`, { cause: error });
    });
  }

  async #open(): Promise<Target> {
    const { log } = this.#options;
    const token = randomToken();
    const { engine, dataDir } = await openEngine(this.#config, {
      ...this.#options,
      localToken: token,
      isServer: true,
    });
    log.info("opened the data directory", { data_dir: dataDir });
    return { engine, endpoint: openLocalEndpoint({ engine, dataDir, token, log }) };
  }
}

/** Sends a request to the engine of another process. */
async function fetchFrom({ url, token }: LocalFile, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${token}`);
  const send = request.method === "GET" ? fetch : fetchOnce;
  return await send(`${url}${pathname}${search}`, {
    method: request.method,
    headers,
    body: request.body,
    signal: request.signal,
    redirect: "error",
  });
}
