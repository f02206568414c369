/** A server under measurement, in a process of its own, so that the load does not share its thread. */
export interface BenchServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts one of the kinds of `server.ts`; resolves once it listens. */
export async function startBenchServer(kind: string, ...args: string[]): Promise<BenchServer> {
  const script = new URL("./server.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script, kind, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  return {
    port: Number(value),
    pid: child.pid,
    async stop() {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}
