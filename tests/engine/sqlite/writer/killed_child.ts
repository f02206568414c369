import { fileURLToPath } from "node:url";

/** How to run a program that writes until it is killed. */
export interface ChildOptions {
  /** Module that replaces `DIR`, `WRITER` and `WORKER`: the data directory, writer.ts and worker.ts. */
  readonly code: string;
  readonly dataDir: string;
  /** Number of printed lines after which it is killed. */
  readonly lines: number;
}

/** Runs a program in a process of its own, and kills it with SIGKILL. Returns the lines that it has printed. */
export async function linesUntilKilled({ code, dataDir, lines }: ChildOptions): Promise<string[]> {
  const writer = new URL("../../../../src/engine/sqlite/writer/writer.ts", import.meta.url).href;
  const worker = new URL("../../../../src/engine/worker.ts", import.meta.url).href;
  const config = fileURLToPath(new URL("../../../../deno.json", import.meta.url));
  const module = code.replace("WRITER", JSON.stringify(writer)).replace("WORKER", JSON.stringify(worker))
    .replace("DIR", JSON.stringify(dataDir));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", config, `data:text/javascript,${encodeURIComponent(module)}`],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    text += decoder.decode(bytes);
    // Lines left in the pipe were acknowledged, too.
    if (text.split("\n").length > lines) child.kill("SIGKILL");
  }
  await child.status;
  return text.split("\n").slice(0, -1);
}
