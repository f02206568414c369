/** How to start a program: its words, and what it finds around it. */
export interface ProcessOptions {
  readonly command: readonly string[];
  /** Working directory; also its HOME, so that nothing of this machine's user is found or left behind. */
  readonly directory: string;
  /** All of its environment beside HOME and PATH. */
  readonly env: Record<string, string>;
}

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly milliseconds: number;
}

/** How long a server may take to say where it is, in milliseconds: a cold start on a busy machine. */
const START_LIMIT_MS = 30_000;

/** A server in a process of its own, which is killed when its owner lets go of it. */
export class ServerProcess implements AsyncDisposable {
  /** Base URL that it printed, without a trailing slash. */
  readonly url: string;
  /** Milliseconds from its start until it said so. */
  readonly readyMs: number;
  readonly #child: Deno.ChildProcess;
  readonly #drained: Promise<unknown>;

  private constructor(child: Deno.ChildProcess, url: string, readyMs: number, drained: Promise<unknown>) {
    this.#child = child;
    this.url = url;
    this.readyMs = readyMs;
    this.#drained = drained;
  }

  /** Starts a server and waits until it has printed its URL. */
  static async start(options: ProcessOptions): Promise<ServerProcess> {
    const started = performance.now();
    const child = command(options, "piped").spawn();
    const found = Promise.withResolvers<string>();
    const timer = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
    let output = "";
    const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        output += text;
        const url = /\bready at (http:\/\/[^\s/]+)/.exec(output)?.[1];
        if (url !== undefined) found.resolve(url);
      }
    };
    const drained = Promise.all([read(child.stdout), read(child.stderr)]).then(() =>
      found.reject(new Error(`${options.command.join(" ")} ended without saying where it is:\n${output}`))
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

  /** Sends SIGTERM and waits for the end. */
  async terminate(): Promise<Ended> {
    const asked = performance.now();
    this.#child.kill("SIGTERM");
    const { code } = await this.#child.status;
    await this.#drained;
    return { code, milliseconds: performance.now() - asked };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.#child.status;
    await this.#drained;
  }
}

/** Runs a program to its end; resolves to its exit status. */
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
