/** Result of a command. */
export interface ShellResult {
  /** Exit status. */
  readonly code: number;
  /** Standard output and standard error, interleaved. */
  readonly output: string;
}

/** Maximum time of a command, in milliseconds. */
const COMMAND_TIMEOUT_MS = 120_000;

/** Size of the terminal. Long enough for tables without wrapped lines. */
const TERMINAL = { rows: 50, columns: 120 };

/** A bash session on a terminal, in which commands share variables, the working directory and background jobs. */
export class Shell implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: Deno.FsFile;
  readonly #output: ReadableStreamDefaultReader<string>;
  readonly #mark = `end-of-command-${crypto.randomUUID()}`;

  private constructor(child: Deno.ChildProcess, input: Deno.FsFile) {
    this.#child = child;
    this.#input = input;
    this.#output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /**
   * Starts bash.
   *
   * @param options.fifo Path for the named pipe with the commands: a terminal would echo them.
   * @param options.env The whole environment.
   */
  static async start(
    options: { readonly cwd: string; readonly env: Record<string, string>; readonly fifo: string },
  ): Promise<Shell> {
    const { cwd, env, fifo } = options;
    await new Deno.Command("mkfifo", { args: [fifo] }).output();
    const setUp = `stty -onlcr rows ${TERMINAL.rows} cols ${TERMINAL.columns}; exec bash --norc '${fifo}'`;
    const child = new Deno.Command("script", {
      args: ["--quiet", "--flush", "--command", setUp, "/dev/null"],
      cwd,
      env: { SHELL: "/bin/bash", TERM: "dumb", ...env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    return new Shell(child, await Deno.open(fifo, { write: true }));
  }

  /** Runs a command to its end. */
  async run(command: string): Promise<ShellResult> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), COMMAND_TIMEOUT_MS);
    try {
      // A command must not read the commands after it. The job of a background command writes to a file of its own.
      const script = `{ ${command}\n} </dev/null\nprintf '\\n%s %d\\n' ${this.#mark} $?\n`;
      await this.#write(script);
      const end = new RegExp(`\\n${this.#mark} (\\d+)\\n`);
      let output = "";
      for (let found = end.exec(output);; found = end.exec(output)) {
        if (found) return { code: Number(found[1]), output: visibleText(output.slice(0, found.index)) };
        const { value, done } = await this.#output.read();
        if (done) throw new Error(`The shell ended or was stopped during: ${command}\n${output}`);
        output += value;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#write("kill $(jobs -p) 2>/dev/null; wait\n");
    this.#input.close();
    await this.#child.stdin.close();
    await this.#child.status;
    await this.#output.cancel();
  }

  async #write(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += await this.#input.write(bytes.subarray(at));
  }
}

/** Returns the text that remains visible on a terminal, without colours and without lines that were replaced. */
function visibleText(output: string): string {
  // deno-lint-ignore no-control-regex -- escape sequences of terminals (ECMA-48)
  return output.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replace(/\r+\n/g, "\n").replace(/^.*\r/gm, "");
}
