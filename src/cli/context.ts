import {
  type Config,
  type ConfigSource,
  isReadableByOthers,
  type Layer,
  loadConfig,
  secretWarnings,
  SETTINGS,
  unknownSettings,
} from "../config/mod.ts";
import { createLogger, type LogFormat, type Logger } from "../telemetry/mod.ts";
import { closestName, systemReason, visibleText } from "../text/mod.ts";
import { findConfigFile } from "./config_file.ts";
import { defaultDataDir } from "./data_dir.ts";
import { EXIT_PIPE, ExitError } from "./exit_status.ts";
import { readSecretFile } from "./secret_file.ts";

/** Parts of the process that a command uses. */
export interface CommandContext {
  /**
   * Reads the settings.
   *
   * @throws {ConfigError} When one is invalid.
   */
  config(): Promise<Config>;
  /**
   * Returns the flags, environment and configuration file that the settings are read from.
   *
   * @throws {ConfigError} When the configuration file cannot be used.
   */
  configSource(): Promise<ConfigSource>;
  /** Takes the settings that are flags of the command line. */
  useFlags(flags: Layer): void;
  /** Creates the logger of the settings, and logs their warnings. */
  log(): Promise<Logger>;
  /** Returns settings that have no effect, and keys that are weakly protected. */
  warnings(): Promise<SettingWarning[]>;
  /** Returns the data directory of the embedded engine. */
  dataDir(): Promise<string>;
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  defaultDataDir(): string;
  /** Returns an environment variable that is not a setting, such as the home directory. */
  env(name: string): string | undefined;
  /** Writes text to standard output. */
  print(text: string): void;
  /** Writes text to standard error. */
  writeError(text: string): void;
  /** Writes a message to standard error, each line with the program's name. */
  printError(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Sets the exit status of the program. */
  exit(status: number): void;
  /** Exit status of the program. */
  readonly status: number;
}

/** A setting that probably has another effect than intended. */
export interface SettingWarning {
  /** Name of the setting, as it was given. */
  readonly name: string;
  /** The problem and its fix. */
  readonly message: string;
}

/** The process that a context belongs to, replaced by tests. */
export interface ProcessIo {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes to standard output. */
  readonly writeOut: (text: string) => void;
  /** Writes to standard error. */
  readonly writeError: (text: string) => void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
}

/** Creates a context. @param io Default: this process. */
export function createContext(io: ProcessIo = thisProcess()): CommandContext {
  return new ProcessContext(io);
}

function thisProcess(): ProcessIo {
  return {
    env: Deno.env.toObject(),
    writeOut: (text) => writeAll(Deno.stdout, text),
    writeError: (text) => {
      try {
        writeAll(Deno.stderr, text);
      } catch (error) {
        // Nobody reads the message: the exit status remains.
        if (!(error instanceof ExitError)) throw error;
      }
    },
    isTerminal: Deno.stdout.isTerminal(),
  };
}

const encoder = new TextEncoder();

/** @throws {ExitError} When the reader has closed the pipe, as `head` does, or the disk of the file is full. */
function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = encoder.encode(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
  } catch (cause) {
    if (cause instanceof Deno.errors.BrokenPipe) throw new ExitError(EXIT_PIPE, "", { cause });
    throw new ExitError(1, `Cannot write the output: ${systemReason(cause)}`, { cause });
  }
}

class ProcessContext implements CommandContext {
  readonly #io: ProcessIo;
  #flags: Layer | undefined;
  #source: ConfigSource | undefined;
  #config: Config | undefined;
  #status = 0;

  constructor(io: ProcessIo) {
    this.#io = io;
  }

  get status(): number {
    return this.#status;
  }

  get isTerminal(): boolean {
    return this.#io.isTerminal;
  }

  async config(): Promise<Config> {
    return this.#config ??= loadConfig(await this.configSource());
  }

  async configSource(): Promise<ConfigSource> {
    if (this.#source) return this.#source;
    const env = (name: string) => this.#io.env[name];
    const file = await findConfigFile({ flags: this.#flags, env });
    return this.#source = { env, flags: this.#flags, file, readFile: readSecretFile };
  }

  useFlags(flags: Layer): void {
    this.#flags = flags;
  }

  async log(): Promise<Logger> {
    const config = await this.config();
    const log = createLogger(config.KB_LOG_LEVEL, { format: logFormat(config) });
    for (const { name, message } of await this.warnings()) log.warn(message, { name });
    return log;
  }

  async warnings(): Promise<SettingWarning[]> {
    const source = await this.configSource();
    const unknown = unknownSettings(Object.keys(this.#io.env)).map((name) => {
      const meant = otherPrefix(name) ?? closestName(name, Object.keys(SETTINGS));
      const hint = meant ? `did you mean ${meant}?` : "see kb-mcp config --help";
      return { name, message: `unknown setting has no effect: ${hint}` };
    });
    const secrets = secretWarnings(await this.config(), source, Deno.statSync)
      .map(({ variable, message }) => ({ name: variable, message }));
    const { file } = source;
    const exposed = file && file.secrets.length > 0 && isReadableByOthers(file.path, Deno.statSync)
      ? [{
        name: file.secrets.join(", "),
        message: `other users can read the keys in this file: run chmod 600 ${JSON.stringify(file.path)}`,
      }]
      : [];
    return [...unknown, ...secrets, ...exposed, ...exposedKeys(await this.config())];
  }

  async dataDir(): Promise<string> {
    return (await this.config()).KB_DATA_DIR ?? this.defaultDataDir();
  }

  defaultDataDir(): string {
    return defaultDataDir(Deno.build.os, (name) => this.#io.env[name]);
  }

  env(name: string): string | undefined {
    return this.#io.env[name];
  }

  print(text: string): void {
    this.#io.writeOut(text);
  }

  writeError(text: string): void {
    this.#io.writeError(text);
  }

  printError(text: string): void {
    // A message may quote a server, a file name or a configuration that could control the terminal.
    this.writeError(`kb-mcp: ${visibleText(text).replaceAll("\n", "\nkb-mcp: ")}\n`);
  }

  exit(status: number): void {
    this.#status = status;
  }
}

/** Returns the setting whose name differs by its prefix only: some start with `KB_MCP_`, others with `KB_`. */
function otherPrefix(name: string): string | undefined {
  const other = name.startsWith("KB_MCP_") ? name.replace("KB_MCP_", "KB_") : name.replace("KB_", "KB_MCP_");
  return Object.hasOwn(SETTINGS, other) ? other : undefined;
}

/** Returns a warning about a keys file that other users can read, and perhaps change. */
function exposedKeys({ KB_MCP_KEYS: path }: Config): SettingWarning[] {
  try {
    if (path === undefined || !isReadableByOthers(path, Deno.statSync)) return [];
  } catch {
    // The server and the commands report what they cannot use.
    return [];
  }
  const message = `other users can read or change the keys file: run chmod 600 ${JSON.stringify(path)}`;
  return [{ name: "KB_MCP_KEYS", message }];
}

function logFormat({ KB_LOG_FORMAT: format }: Config): LogFormat {
  return format === "auto" ? (Deno.stderr.isTerminal() ? "text" : "json") : format;
}
