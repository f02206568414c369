/**
 * Resources of an attack: the program under attack, sockets and temporary directories, all of which end
 * with the attack.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";
import { ExitedError, ServerProcess } from "../../scripts/server_process.ts";
import { runCommand } from "../../scripts/run_command.ts";
import { RawConnection } from "./raw_connection.ts";

/** Token of every attacked server. */
export const TOKEN = "attack-token-0123456789";

/** An attack with a name for `--only`. */
export interface Check {
  readonly name: string;
  /** Maximum duration in milliseconds. Default: 120,000. */
  readonly timeoutMs?: number;
  /** Whether it mostly waits for a deadline of the program, and can do so while others run. */
  readonly isWaiting?: boolean;
  /**
   * Attacks the program.
   *
   * @returns The measured figures.
   * @throws {SkippedError} When this machine cannot run the attack.
   * @throws {Error} When the program did not hold.
   */
  run(attack: Attack): Promise<string>;
}

/** This machine cannot run the attack; the message says why. */
export class SkippedError extends Error {
  override readonly name = "SkippedError";
}

/** How to start a server. */
export interface StartOptions {
  /** Settings, over those of the tests; undefined unsets one. */
  readonly env?: Record<string, string | undefined>;
  /** Data directory. Default: a new one. */
  readonly data?: string;
  /** Limit on open files of the process. Default: inherited. */
  readonly openFiles?: number;
  /** Command line that the program's command line is appended to, such as `unshare`. */
  readonly wrapper?: readonly string[];
}

/** One run of a {@linkcode Check}. Disposing kills its programs, closes its sockets and removes its files. */
export class Attack implements AsyncDisposable {
  /** Whether to run the full number of repetitions. */
  readonly long: boolean;
  readonly #program: readonly string[];
  readonly #resources = new AsyncDisposableStack();

  constructor(program: readonly string[], long: boolean) {
    this.#program = program;
    this.long = long;
  }

  /** Creates a temporary directory. */
  async directory(): Promise<string> {
    const path = await Deno.makeTempDir({ prefix: "kb-mcp-attack-" });
    this.defer(() => Deno.remove(path, { recursive: true }));
    return path;
  }

  /** Registers something to do after the attack. */
  defer(dispose: () => Promise<unknown> | void): void {
    this.#resources.defer(async () => {
      await dispose();
    });
  }

  /** Starts `kb-mcp serve` on a free port, with {@linkcode TOKEN} as its key and an embedded engine. */
  async serve(options: StartOptions = {}): Promise<ServerProcess> {
    return await this.#start("serve", { KB_MCP_PORT: "0", KB_MCP_API_KEY: TOKEN }, options);
  }

  /** Starts `kb-mcp engine` on a free port, without a key. */
  async engine(options: StartOptions = {}): Promise<ServerProcess> {
    return await this.#start("engine", { KB_ENGINE_PORT: "0" }, options);
  }

  /** Starts a server that must refuse to start, and returns its exit status and its output. */
  async refusedStart(role: "serve" | "engine", options: StartOptions = {}): Promise<ExitedError> {
    try {
      await this[role](options);
    } catch (error) {
      if (error instanceof ExitedError) return error;
      throw error;
    }
    throw new Error("the server started");
  }

  /** Runs another command of the program to its end. */
  async command(args: readonly string[], env: Record<string, string>) {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return await runCommand(["env", ...settings, ...this.#program, ...args]);
  }

  /** Opens a connection to a server. */
  async connect(server: ServerProcess): Promise<RawConnection> {
    const connection = await RawConnection.open(Number(new URL(server.url).port));
    this.defer(() => connection.close());
    return connection;
  }

  async #start(
    role: "serve" | "engine",
    defaults: Record<string, string>,
    options: StartOptions,
  ): Promise<ServerProcess> {
    const { env = {}, openFiles, wrapper = [] } = options;
    const directory = await this.directory();
    await Deno.mkdir(`${directory}/tmp`);
    const limit = openFiles === undefined
      ? []
      : ["sh", "-c", `ulimit -n ${openFiles} && exec "$@"`, "kb-mcp"];
    const settings = {
      ...defaults,
      KB_DATA_DIR: options.data ?? `${directory}/data`,
      DENO_DIR: await denoDir(),
      KB_EMBEDDINGS_MODEL: "off",
      TMPDIR: `${directory}/tmp`,
      ...env,
    };
    const server = await ServerProcess.start({
      command: [...limit, ...wrapper, ...this.#program, role],
      directory,
      env: Object.fromEntries(Object.entries(settings).filter(isSet)),
    });
    this.defer(() => server[Symbol.asyncDispose]());
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

function isSet(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

/** Returns the command line of the program from its sources, as `deno task start` runs it. */
export function sourceProgram(): string[] {
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  return [Deno.execPath(), "run", "--config", config, ...RUN_PERMISSIONS, main];
}

let knownDenoDir: Promise<string> | undefined;

/** Returns this machine's Deno cache: the program's own home is empty. */
function denoDir(): Promise<string> {
  return knownDenoDir ??= runCommand(["deno", "info", "--json", "--no-config"])
    .then(({ output }) => JSON.parse(output).denoDir);
}
