/** How a command ended. */
export interface Finished {
  readonly code: number;
  /** Standard output and standard error, as they came. */
  readonly output: string;
  readonly seconds: number;
}

/** What {@linkcode run} may be told. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Whether the output is shown while it comes, too. Default: false. */
  readonly show?: boolean;
}

/** Runs a command to its end, without a shell and without standard input. `deno` is the Deno that runs this script. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const [program = "", ...args] = command;
  const started = performance.now();
  const child = new Deno.Command(program === "deno" ? Deno.execPath() : program, {
    args,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { NO_COLOR: "1", ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (options.show) await Deno.stdout.write(new TextEncoder().encode(text));
    }
  };
  const [status] = await Promise.all([child.status, read(child.stdout), read(child.stderr)]);
  return { code: status.code, output, seconds: (performance.now() - started) / 1000 };
}
