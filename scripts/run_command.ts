/** Result of {@linkcode runCommand}. */
export interface CommandResult {
  /** Exit status. */
  readonly code: number;
  /** Standard output and standard error, interleaved as they arrived. */
  readonly output: string;
  readonly seconds: number;
}

/**
 * Runs a command without a shell and without standard input, and captures its output.
 *
 * @param command Program and arguments. `deno` stands for the Deno that runs this script.
 */
export async function runCommand(command: readonly string[]): Promise<CommandResult> {
  const [program = "", ...args] = command;
  const started = performance.now();
  const child = new Deno.Command(program === "deno" ? Deno.execPath() : program, {
    args,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
    }
  };
  const [status] = await Promise.all([child.status, read(child.stdout), read(child.stderr)]);
  return { code: status.code, output, seconds: (performance.now() - started) / 1000 };
}
