import {
  type Config,
  type ConfigSource,
  loadConfig,
  secretWarnings,
  SETTINGS,
  unknownSettings,
} from "../config/mod.ts";
import { createLogger, type LogFormat, type Logger } from "../telemetry/mod.ts";
import { closestName } from "../text/mod.ts";
import { defaultDataDir } from "./data_dir.ts";
import { readSecretFile } from "./secret_file.ts";

/** What a command uses of the process. */
export interface CommandContext {
  /**
   * Reads the settings.
   *
   * @throws {ConfigError} When one is invalid.
   */
  config(): Promise<Config>;
  /** Creates the logger of the settings, and logs settings that have no effect and weakly protected keys. */
  log(): Promise<Logger>;
  /** Returns the data directory of the embedded engine. */
  dataDir(): Promise<string>;
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  defaultDataDir(): string;
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
  const encoder = new TextEncoder();
  return {
    env: Deno.env.toObject(),
    writeOut: (text) => Deno.stdout.writeSync(encoder.encode(text)),
    writeError: (text) => Deno.stderr.writeSync(encoder.encode(text)),
    isTerminal: Deno.stdout.isTerminal(),
  };
}

class ProcessContext implements CommandContext {
  readonly #io: ProcessIo;
  readonly #source: ConfigSource;
  #config: Config | undefined;
  #status = 0;

  constructor(io: ProcessIo) {
    this.#io = io;
    this.#source = { env: (name) => io.env[name], readFile: readSecretFile };
  }

  get status(): number {
    return this.#status;
  }

  get isTerminal(): boolean {
    return this.#io.isTerminal;
  }

  // deno-lint-ignore require-await -- a configuration file is read asynchronously
  async config(): Promise<Config> {
    return this.#config ??= loadConfig(this.#source);
  }

  async log(): Promise<Logger> {
    const config = await this.config();
    const log = createLogger(config.KB_LOG_LEVEL, { format: logFormat(config) });
    for (const name of unknownSettings(Object.keys(this.#io.env))) {
      const meant = closestName(name, Object.keys(SETTINGS));
      log.warn(`unknown setting has no effect: ${meant ? `did you mean ${meant}?` : "see kb-mcp --help"}`, {
        name,
      });
    }
    for (const { variable, message } of secretWarnings(config, this.#source, Deno.statSync)) {
      log.warn(message, { name: variable });
    }
    return log;
  }

  async dataDir(): Promise<string> {
    return (await this.config()).KB_DATA_DIR ?? this.defaultDataDir();
  }

  defaultDataDir(): string {
    return defaultDataDir(Deno.build.os, (name) => this.#io.env[name]);
  }

  print(text: string): void {
    this.#io.writeOut(text);
  }

  writeError(text: string): void {
    this.#io.writeError(text);
  }

  printError(text: string): void {
    this.writeError(`kb-mcp: ${text.replaceAll("\n", "\nkb-mcp: ")}\n`);
  }

  exit(status: number): void {
    this.#status = status;
  }
}

function logFormat({ KB_LOG_FORMAT: format }: Config): LogFormat {
  return format === "auto" ? (Deno.stderr.isTerminal() ? "text" : "json") : format;
}
