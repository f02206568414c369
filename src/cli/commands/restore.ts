import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { warnOfRootFiles } from "../files_of_root.ts";
import { integerOption } from "../option_values.ts";
import { type OutputFlags, withOutput } from "./client_options.ts";

/** `kb-mcp restore`. */
export function restoreCommand(context: CommandContext): Command {
  const command = new Command("restore")
    .summary("restore a document from the trash or its history, or all data from a backup")
    .description(
      "With the id of a document: undo its deletion or its last change, or restore an older version. With a file of " +
        "kb-mcp backup: replace all data by that of the backup, which is checked before; the server must be stopped.",
    )
    .argument("<id|file>", "id of a document, or a backup (for a file whose name is a number: ./42)")
    .option(
      "--replace",
      "restore a backup into a directory with data; the former files are kept under other names",
    )
    .option(
      "--revision <n>",
      "version to restore, from kb-mcp history",
      integerOption("--revision", 1),
    );
  return withOutput(command, {
    examples: [
      ["kb-mcp restore 42", "Restore a deleted document, or undo its last change"],
      ["kb-mcp restore 42 --revision 3", "Restore an older version"],
      ["kb-mcp restore kb-backup.db.zst", "Restore a backup into an empty data directory"],
      ["kb-mcp restore kb-backup.db.zst --replace", "Restore a backup, and keep the former files"],
    ],
    exitStatus: { 65: "the stored data or the backup is damaged" },
  }).action(async (id: string, options: { revision?: number; replace?: boolean } & OutputFlags) => {
    if (!/^\d+$/.test(id)) {
      const { runRestore } = await import("../maintenance.ts");
      const { replace = false, json = !context.isTerminal } = options;
      const config = await context.config();
      return await warnOfRootFiles(context, () => runRestore(id, { replace, json }, config, context));
    }
    const { runClient } = await import("../client/run_client.ts");
    const { restoreDocument } = await import("../client/documents.ts");
    await runClient(context, options, (client) => restoreDocument(id, options, client));
  });
}
