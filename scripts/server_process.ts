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

/** Maximum time from start to the printed URL: allows for a cold start on a busy machine. */
const START_TIMEOUT_MS = 30_000;

/** A server in its own process. Disposing kills it. */
export class ServerProcess implements AsyncDisposable {
  /** The base URL that the server printed, without a trailing slash. */
  readonly url: string;
  /** Time from start to the printed URL, in milliseconds. */
  readonly readyMs: number;
  readonly #child: Deno.ChildProcess;
  readonly #drained: Promise<unknown>;

  private constructor(child: Deno.ChildProcess, url: string, readyMs: number, drained: Promise<unknown>) {
    this.#child = child;
    this.url = url;
    this.readyMs = readyMs;
    this.#drained = drained;
  }

  /** Starts a server and waits for it to print its URL. */
  static async start(options: ProcessOptions): Promise<ServerProcess> {
    const started = performance.now();
    const child = command(options, "piped").spawn();
    const found = Promise.withResolvers<string>();
    const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
    let output = "";
    const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        output += text;
        const url = /\bready at (http:\/\/[^\s/]+)/.exec(output)?.[1];
        if (url !== undefined) found.resolve(url);
      }
    };
    const drained = Promise.all([read(child.stdout), read(child.stderr)]).then(() =>
      found.reject(new Error(`${options.command.join(" ")} exited before it printed its URL:\n${output}`))
    );
    try {
      return new ServerProcess(child, await found.promise, performance.now() - started, drained);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Process id. */
  get pid(): number {
    return this.#child.pid;
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
