/** How to start a program. */
export interface ProcessOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Working directory. Also HOME, so that the program neither reads nor changes this user's files. */
  readonly directory: string;
  /** The whole environment, except for HOME and PATH. */
  readonly env: Record<string, string>;
}

/** Result of {@linkcode ServerProcess.terminate}. */
export interface Termination {
  /** Exit status. */
  readonly code: number;
  /** Time from SIGTERM to exit. */
  readonly milliseconds: number;
}

/** The program exited before it printed its URL. */
export class ExitedError extends Error {
  override readonly name = "ExitedError";
  /** Exit status. */
  readonly code: number;
  /** Standard output and standard error. */
  readonly output: string;

  constructor(command: readonly string[], code: number, output: string) {
    super(`${command.join(" ")} exited with status ${code} before it printed its URL:\n${output}`);
    this.code = code;
    this.output = output;
  }
}

/** Maximum time from start to the printed URL: allows for a cold start on a busy machine. */
const START_TIMEOUT_MS = 30_000;

/** A server in its own process. Disposing kills it. */
export class ServerProcess implements AsyncDisposable {
  /** The base URL that the server printed, without a trailing slash. */
  readonly url: string;
  /** Time from start to the printed URL, in milliseconds. */
  readonly readyMs: number;
  readonly #child: Deno.ChildProcess;
  readonly #output: { text: string };
  readonly #drained: Promise<unknown>;

  private constructor(
    child: Deno.ChildProcess,
    url: string,
    readyMs: number,
    output: { text: string },
    drained: Promise<unknown>,
  ) {
    this.#child = child;
    this.url = url;
    this.readyMs = readyMs;
    this.#output = output;
    this.#drained = drained;
  }

  /**
   * Starts a server and waits for it to print its URL.
   *
   * @throws {ExitedError} When the program exits first.
   */
  static async start(options: ProcessOptions): Promise<ServerProcess> {
    const started = performance.now();
    const child = command(options, "piped").spawn();
    const found = Promise.withResolvers<string>();
    const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
    const output = { text: "" };
    const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        output.text += text;
        const url = /\bready at (http:\/\/[^\s/]+)/.exec(output.text)?.[1];
        if (url !== undefined) found.resolve(url);
      }
    };
    const drained = Promise.all([child.status, read(child.stdout), read(child.stderr)]).then(([{ code }]) =>
      found.reject(new ExitedError(options.command, code, output.text))
    );
    try {
      return new ServerProcess(child, await found.promise, performance.now() - started, output, drained);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Standard output and standard error so far. */
  get output(): string {
    return this.#output.text;
  }

  /** Exit status, once the program has exited. */
  get exited(): Promise<number> {
    return this.#child.status.then(({ code }) => code);
  }

  /** Sends SIGTERM and waits for the process to exit. */
  async terminate(): Promise<Termination> {
    const started = performance.now();
    this.#child.kill("SIGTERM");
    const { code } = await this.#child.status;
    await this.#drained;
    return { code, milliseconds: performance.now() - started };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has already exited.
    }
    await this.#child.status;
    await this.#drained;
  }
}

/** Runs a program and returns its exit status. */
export async function exitCode(options: ProcessOptions): Promise<number> {
  return (await command(options, "null").output()).code;
}

function command({ command, directory, env }: ProcessOptions, output: "piped" | "null"): Deno.Command {
  const [program = "", ...args] = command;
  return new Deno.Command(program, {
    args,
    cwd: directory,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: directory, NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: output,
    stderr: output,
  });
}
