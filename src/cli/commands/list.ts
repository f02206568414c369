import { Command } from "commander";
import { DOCUMENT_GROUPS, DOCUMENT_SORTS, MAX_PAGE } from "../../contract/mod.ts";
import type { ListOptions } from "../client/list.ts";
import type { CommandContext } from "../context.ts";
import { integerOption } from "../option_values.ts";
import { choice, type OutputFlags, withFilters, withOutput } from "./client_options.ts";

/** `kb-mcp list`. */
export function listCommand(context: CommandContext): Command {
  const command = new Command("list")
    .summary("list or count documents")
    .description("List documents, or count them by tag, collection, type or day.")
    .option("--title <words>", "only with these words in the title or file name, each as the start of a word")
    .addOption(choice("--sort <key>", "order (default: updated)", DOCUMENT_SORTS))
    .addOption(
      choice("--order <direction>", "direction (default: asc for title, otherwise desc)", ["asc", "desc"]),
    )
    .addOption(choice("--group-by <key>", "count documents instead", DOCUMENT_GROUPS))
    .option(
      "-n, --limit <n>",
      "maximum number of documents (default: 50)",
      integerOption("--limit", 1, MAX_PAGE),
    )
    .option("--all", "print all documents");
  return withOutput(withFilters(command), {
    examples: [
      ["kb-mcp list -c memory --since 7d", "List the memories of the last week"],
      ["kb-mcp list --group-by tag", "Count documents by tag"],
      ["kb-mcp list --all --json | jq -r '.documents[].source_path'", "Print all paths"],
    ],
  }).action(async (options: ListOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { list } = await import("../client/list.ts");
    await runClient(context, options, (client) => list(options, client));
  });
}
