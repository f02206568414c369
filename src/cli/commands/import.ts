import { Command } from "commander";
import { FORMATS } from "../../transfer/formats/names.ts";
import type { CommandContext } from "../context.ts";
import type { ImportCommandOptions } from "../transfer/import.ts";
import { choice, type OutputFlags, withOutput, words } from "./client_options.ts";

/** `kb-mcp import`. */
export function importCommand(context: CommandContext): Command {
  const command = new Command("import")
    .summary("import an export, a vault, conversations or memories of another program")
    .description(
      "Import documents from an export of kb-mcp or from another program. Documents keep their times. The same import " +
        "again adds new and changed documents, so that an interrupted one can be repeated.",
    )
    .argument("<path>", "folder or file; of ChatGPT and Claude also the zip archive")
    .addOption(
      choice("--format <format>", "format (default: auto, found out from the files)", ["auto", ...FORMATS]),
    )
    .option(
      "-c, --collection <name>",
      "collection of new documents (default: memory or documents, by format)",
    )
    .option("-t, --tags <tags>", "tags for all documents, separated by commas", words)
    .option("--overwrite", "replace documents of another type at the same path")
    .option("--dry-run", "read everything, and change nothing");
  return withOutput(command, {
    examples: [
      ["kb-mcp import ~/kb", "Import an export, with the changes to its files"],
      ["kb-mcp import --dry-run chatgpt-export.zip", "Count the conversations of a ChatGPT export"],
      ["kb-mcp import ~/vault --collection workspace --tags vault", "Import an Obsidian vault"],
    ],
    exitStatus: { 2: "some documents could not be imported" },
  }).action(async (path: string, options: ImportCommandOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { importDocuments } = await import("../transfer/import.ts");
    await runClient(context, options, (client) => importDocuments(path, options, client), {
      createsData: true,
    });
  });
}
