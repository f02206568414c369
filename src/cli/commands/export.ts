import { Command } from "commander";
import type { ExportCommandOptions } from "../transfer/export.ts";
import type { CommandContext } from "../context.ts";
import { choice, filterOptions, type OutputFlags, withOutput } from "./client_options.ts";

/** `kb-mcp export`. */
export function exportCommand(context: CommandContext): Command {
  const command = new Command("export")
    .summary("write documents to a directory, as Markdown or JSON")
    .description(
      "Write documents to a directory, one Markdown file with front matter each. The same export again updates the " +
        "directory; kb-mcp import reads it back exactly, with the changes that were made to the files.",
    )
    .argument("<dir>", "directory; created if missing")
    .addOption(choice("--format <format>", "files to write (default: markdown)", ["markdown", "jsonl"]))
    .option(...filterOptions.collection)
    .option(...filterOptions.tags)
    .option(...filterOptions.type)
    .option("--path, --source-path-prefix <prefix>", "only with a path that starts with this")
    .option(...filterOptions.since)
    .option(...filterOptions.until)
    .option("--overwrite", "also overwrite files that were edited since the last export");
  return withOutput(command, {
    examples: [
      ["kb-mcp export ~/kb", "Write everything, for Git or another editor"],
      ["kb-mcp export memories -c memory", "Write one collection"],
      ["kb-mcp export dump --format jsonl", "Write one file with a line of JSON for each document"],
    ],
    exitStatus: { 2: "some files were left as they are" },
  }).action(async (directory: string, options: ExportCommandOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { exportDocuments } = await import("../transfer/export.ts");
    await runClient(context, options, (client) => exportDocuments(directory, options, client));
  });
}
