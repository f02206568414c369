import { Command } from "commander";
import type { GetOptions } from "../client/get.ts";
import type { CommandContext } from "../context.ts";
import { integerOption } from "../option_values.ts";
import { type OutputFlags, withOutput } from "./client_options.ts";

/** `kb-mcp get`. */
export function getCommand(context: CommandContext): Command {
  const command = new Command("get")
    .summary("print a document")
    .description("Print a document with its details. It is named by its id, exact path or title.")
    .argument("<document>", "id, path or title")
    .option("--raw", "print the text alone")
    .option("--details", "print the details without the text")
    .option("--outline", "print the headings with the numbers of their chunks")
    .option(
      "--around <chunk>",
      "print this chunk with its neighbours",
      integerOption("--around", 0),
    )
    .option("--offset <chunk>", "print from this chunk, from 0", integerOption("--offset", 0))
    .option("-n, --limit <n>", "maximum number of chunks", integerOption("--limit", 1, 1000))
    .option("--revision <n>", "print a former version", integerOption("--revision", 1));
  return withOutput(command, {
    examples: [
      ["kb-mcp get 42", "Print a document"],
      ["kb-mcp get handbook/kettle.md --raw > kettle.md", "Write the text of a document to a file"],
      ["kb-mcp get 42 --outline", "Find the right part of a long document"],
    ],
  }).action(async (document: string, options: GetOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { get } = await import("../client/get.ts");
    await runClient(context, options, (client) => get(document, options, client));
  });
}
