import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { type OutputFlags, withOutput } from "./client_options.ts";

/** `kb-mcp status`. */
export function statusCommand(context: CommandContext): Command {
  const command = new Command("status")
    .summary("print the status of the knowledge base")
    .description("Print versions, documents by collection, queue, vectors, storage and sources.");
  return withOutput(command, {
    examples: [
      ["kb-mcp status", "Print the status"],
      ["kb-mcp status --json | jq .engine.documents.total", "Count documents in a script"],
    ],
  }).action(async (options: OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { status } = await import("../client/status.ts");
    await runClient(context, options, status);
  });
}
