import type { EngineClient } from "../client/mod.ts";
import { Collections } from "../collections/mod.ts";
import { type Config, ConfigError } from "../config/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { connectEngine, createClient } from "./connect_engine.ts";
import { EX_UNAVAILABLE, ExitError } from "./exit_status.ts";
import { findLocalServer } from "./find_local_server.ts";
import { readLocalFile } from "./local_file.ts";
import { isInUse, retryWhileInUse } from "./retry_while_in_use.ts";

/** Options of {@linkcode connect}. */
export interface ConnectOptions {
  readonly log: Logger;
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** Whether to create a data directory that does not exist. @default {true} */
  readonly createsData?: boolean | undefined;
  /** Maximum time to wait for another command that uses the data directory, in milliseconds. @default {3000} */
  readonly maxWaitMs?: number;
}

/** Default of {@linkcode ConnectOptions.maxWaitMs}. */
const MAX_WAIT_MS = 3_000;

/** A connection of a command to an engine. Disposing of it closes an engine that it has opened. */
export interface Connection extends AsyncDisposable {
  readonly client: EngineClient;
  /** The collections of the configuration. */
  readonly collections: Collections;
  /** Whether the engine runs on this machine, with the configured data directory. */
  readonly isLocal: boolean;
  /** URL of the engine, or its data directory. */
  readonly name: string;
}

/**
 * Connects to the engine at `KB_ENGINE_URL`; if that is unset, to the server that uses the data directory, which its
 * `local.json` names; if none runs, opens the data directory itself.
 *
 * @throws {EngineError} When the engine at `KB_ENGINE_URL` cannot be used.
 * @throws {ExitError} When a server uses the data directory but does not respond, or the data is damaged.
 * @throws {ConfigError} When the data directory cannot be used, or does not exist and is not to be created.
 */
export async function connect(config: Config, options: ConnectOptions): Promise<Connection> {
  const { maxWaitMs = MAX_WAIT_MS } = options;
  return await retryWhileInUse(() => tryConnect(config, options), { maxWaitMs }).catch((error) => {
    throw isInUse(error) ? unreachableServer(error, config.KB_DATA_DIR ?? options.defaultDataDir()) : error;
  });
}

async function tryConnect(config: Config, options: ConnectOptions): Promise<Connection> {
  const collections = new Collections(config.KB_COLLECTIONS);
  if (config.KB_ENGINE_URL === undefined) {
    const dataDir = config.KB_DATA_DIR ?? options.defaultDataDir();
    const file = await findLocalServer(dataDir);
    if (file) {
      const { url: baseUrl, token: apiKey } = file;
      const client = createClient({ baseUrl, apiKey, name: "local engine" }, config, options.log);
      return { client, collections, isLocal: true, name: file.url, async [Symbol.asyncDispose]() {} };
    }
    if (options.createsData === false) await requireDirectory(dataDir);
  }
  const { client, engine, name } = await connectEngine(config, options);
  // An engine that is too old is refused before a command sends anything else (decision D7).
  if (!engine) await client.status();
  return {
    client,
    collections,
    isLocal: engine !== undefined,
    name,
    async [Symbol.asyncDispose]() {
      await engine?.close();
    },
  };
}

/** Rejects a data directory that does not exist. An empty result would look like missing knowledge. */
async function requireDirectory(dataDir: string): Promise<void> {
  try {
    await Deno.stat(dataDir);
  } catch (cause) {
    // The engine reports other errors.
    if (!(cause instanceof Deno.errors.NotFound)) return;
    throw new ConfigError(
      `There is no data yet: the data directory ${JSON.stringify(dataDir)} does not exist. ` +
        "Add documents with kb-mcp add PATH, or set KB_DATA_DIR as for the server",
      { cause },
    );
  }
}

/** Maximum time that a server waits for a command to leave the data directory, in milliseconds. */
const SERVER_WAIT_MS = 10_000;

/**
 * Opens the data directory of a server: waits for a command that uses it, but not for another server.
 *
 * @throws {ConfigError} When the data directory cannot be used.
 */
export async function openForServer<T>(
  open: () => Promise<T>,
  { dataDir, log }: { readonly dataDir: () => string; readonly log: Logger },
): Promise<T> {
  let isWaiting = false;
  const onInUse = async (error: unknown) => {
    const named = await withServer(error, dataDir());
    if (named !== error) throw named;
    if (!isWaiting) log.info("waiting for a command that uses the data directory");
    isWaiting = true;
  };
  return await retryWhileInUse(open, { maxWaitMs: SERVER_WAIT_MS, onInUse });
}

/**
 * Adds the process of the server to an error which says that a data directory is in use. It may run unnoticed, such as after
 * `kill -9` of the program that started it.
 *
 * @returns The same error if it says something else, or no server uses the directory.
 */
export async function withServer(error: unknown, dataDir: string): Promise<unknown> {
  const server = isInUse(error) && await findLocalServer(dataDir);
  if (!server) return error;
  return new ConfigError(
    `KB_DATA_DIR ${
      JSON.stringify(dataDir)
    } is in use by the kb-mcp server with the process id ${server.pid}: ` +
      "stop it, or set KB_DATA_DIR to another directory",
    { cause: error.cause },
  );
}

/** Names the case that a directory is in use by a server which this program could not call. */
function unreachableServer(cause: unknown, dataDir: string): ExitError {
  // Of a server that does not respond, or was killed: this program may not ask the system which one it is.
  const pid = readLocalFile(dataDir)?.pid;
  return new ExitError(
    EX_UNAVAILABLE,
    "Another kb-mcp process uses the data directory and cannot be reached: wait until that command has ended, " +
      `restart the server${
        pid === undefined ? "" : ` (the last one had the process id ${pid})`
      } if it does not ` +
      "respond or is an older version, or set KB_ENGINE_URL to its engine",
    { cause },
  );
}
