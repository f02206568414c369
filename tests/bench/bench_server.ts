import { RUNTIME_FLAGS } from "../../scripts/permissions.ts";

/** A server in its own process, so that the load generator does not share its thread. */
export interface BenchServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a server of `server.ts`; resolves when it listens.
 *
 * @param args Command line arguments: the kind of server and its argument.
 */
export async function startBenchServer(...args: string[]): Promise<BenchServer> {
  const script = new URL("./server.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...RUNTIME_FLAGS, script, ...args],
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
