import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { integerOption } from "../option_values.ts";
import { type OutputFlags, withOutput } from "./client_options.ts";

/** `kb-mcp restore`. */
export function restoreCommand(context: CommandContext): Command {
  const command = new Command("restore")
    .summary("undo the deletion or the last change of a document")
    .description("Undo the deletion or the last change of a document, or restore an older version.")
    .argument("<id>", "id of the document")
    .option(
      "--revision <n>",
      "version to restore, from kb-mcp history",
      integerOption("--revision", 1, 999_999_999),
    );
  return withOutput(command, {
    examples: [
      ["kb-mcp restore 42", "Restore a deleted document, or undo its last change"],
      ["kb-mcp restore 42 --revision 3", "Restore an older version"],
    ],
  }).action(async (id: string, options: { revision?: number } & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { restoreDocument } = await import("../client/documents.ts");
    await runClient(context, options, (client) => restoreDocument(id, options, client));
  });
}
