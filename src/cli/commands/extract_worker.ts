import { Command } from "commander";
import { ConfigError } from "../../config/mod.ts";
import type { CommandContext } from "../context.ts";

/** `kb-mcp extract-worker`, which the engine starts. Hidden. */
export function extractWorkerCommand(context: CommandContext): Command {
  return new Command("extract-worker")
    .description("Internal: reads uploaded files for the engine.")
    .argument("[bytes]", "maximum memory", "")
    .action(async (maxMemoryBytes: string) => {
      if (!/^\d+$/.test(maxMemoryBytes) || Deno.stdin.isTerminal()) {
        throw new ConfigError("extract-worker is internal: the engine starts it to read uploaded files");
      }
      const { serveExtraction } = await import("../../extraction_process/worker.ts");
      context.exit(
        await serveExtraction({ maxRssBytes: Number(maxMemoryBytes), keepsRead: !Deno.build.standalone }),
      );
    });
}
