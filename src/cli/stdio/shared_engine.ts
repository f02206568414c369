import { delay } from "../../async/mod.ts";
import { connectFailure, EngineClient } from "../../client/mod.ts";
import type { Config } from "../../config/mod.ts";
import type { Engine } from "../../engine/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import type { ConnectedEngine } from "../connect_engine.ts";
import { findLocalServer } from "../connection.ts";
import { EX_UNAVAILABLE, ExitError } from "../exit_status.ts";
import { type LocalEndpoint, openLocalEndpoint } from "../local_endpoint.ts";
import { type LocalFile, randomToken } from "../local_file.ts";
import { openEngine } from "../open_engine.ts";
import { isInUse } from "../retry_while_in_use.ts";

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

/** Number and interval of attempts while another process starts or stops with the same data directory. */
const ATTEMPTS = 40;
const RETRY_MS = 250;

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
    const { KB_ENGINE_TIMEOUT, KB_ENGINE_CONNECT_TIMEOUT, KB_ENGINE_MAX_ANSWER, KB_API_KEY } = this.#config;
    const client = new EngineClient({
      baseUrl: "http://embedded",
      name: "embedded engine",
      ...(KB_API_KEY === undefined ? {} : { apiKey: KB_API_KEY }),
      timeoutMs: KB_ENGINE_TIMEOUT,
      connectTimeoutMs: KB_ENGINE_CONNECT_TIMEOUT,
      maxResponseBytes: KB_ENGINE_MAX_ANSWER,
      log: this.#options.log,
      fetch: (request) => this.#fetch(request),
    });
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
    for (let attempt = 1;; attempt++) {
      const server = await findLocalServer(this.#dataDir);
      if (server) return { server };
      try {
        return await this.#open();
      } catch (error) {
        if (!isInUse(error)) throw error;
        if (attempt === ATTEMPTS) {
          throw new ExitError(EX_UNAVAILABLE, `${error.message}. It could not be reached`, { cause: error });
        }
      }
      // Another process has the directory and has not written its address yet, or is stopping.
      await delay(RETRY_MS, signal);
      signal.throwIfAborted();
    }
  }

  async #open(): Promise<Target> {
    const { log } = this.#options;
    const token = randomToken();
    const { engine, dataDir } = await openEngine(this.#config, {
      ...this.#options,
      localToken: token,
      followsSources: true,
    });
    log.info("opened the data directory", { dataDir });
    return { engine, endpoint: openLocalEndpoint({ engine, dataDir, token, log }) };
  }
}

/** Sends a request to the engine of another process. */
async function fetchFrom({ url, token }: LocalFile, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${token}`);
  return await fetch(`${url}${pathname}${search}`, {
    method: request.method,
    headers,
    body: request.body,
    signal: request.signal,
    redirect: "error",
  });
}
