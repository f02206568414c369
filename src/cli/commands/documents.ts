import { Command } from "commander";
import { ConfigError } from "../../config/mod.ts";
import type { DeleteOptions, TagOptions } from "../client/documents.ts";
import type { CommandContext } from "../context.ts";
import { ifVersion, type OutputFlags, withOutput, words, yes } from "./client_options.ts";

const SOME_FAILED = { 2: "some of the documents were not changed" };

/** `kb-mcp collection`. */
export function collectionCommand(context: CommandContext): Command {
  const command = new Command("collection")
    .summary("move documents to a collection")
    .description("Move documents to a collection. Their other tags stay.")
    .usage("<id...> <name> [options]")
    .argument("<id...>", "ids of documents, then the name of the collection")
    .option("--none", "take them out of all collections instead; no name follows");
  return withOutput(command, {
    examples: [
      ["kb-mcp collection 42 memory", "Move a document"],
      ["kb-mcp collection 42 43 --none", "Take two documents out of their collections"],
    ],
    exitStatus: SOME_FAILED,
  }).action(async (args: string[], options: { none?: boolean } & OutputFlags) => {
    const ids = options.none ? args : args.slice(0, -1);
    if (ids.length === 0) {
      throw new ConfigError("The name of a collection is missing: kb-mcp collection ID... NAME");
    }
    const { runClient } = await import("../client/run_client.ts");
    const { setCollection } = await import("../client/documents.ts");
    const target = options.none ? null : args.at(-1) ?? null;
    await runClient(context, options, (client) => setCollection(ids, target, client));
  });
}

/** `kb-mcp tags`. */
export function tagsCommand(context: CommandContext): Command {
  const command = new Command("tags")
    .summary("list tags, or change the tags of documents")
    .description(
      "Without an id, list all tags with their numbers of documents. Otherwise print or change tags.",
    )
    .argument("[id...]", "ids of documents")
    .option("--add <tags>", "tags to add, separated by commas", words)
    .option("--remove <tags>", "tags to remove", words);
  return withOutput(command, {
    examples: [
      ["kb-mcp tags", "List all tags"],
      ["kb-mcp tags 42 43 --add urgent,home --remove later", "Change the tags of two documents"],
    ],
    exitStatus: SOME_FAILED,
  }).action(async (ids: string[], options: TagOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { changeTags } = await import("../client/documents.ts");
    await runClient(context, options, (client) => changeTags(ids, options, client));
  });
}

/** `kb-mcp delete`. */
export function deleteCommand(context: CommandContext): Command {
  const command = new Command("delete")
    .summary("delete documents")
    .description(
      "Move documents to the trash, from which kb-mcp restore takes them back. Asks on a terminal.",
    )
    .argument("<id...>", "ids of documents")
    .option("--permanent", "erase them with their former versions; needs --yes in a script")
    .option(...yes)
    .option(...ifVersion);
  return withOutput(command, {
    examples: [
      ["kb-mcp delete 42", "Move a document to the trash"],
      ["kb-mcp delete 42 43 --permanent --yes", "Erase two documents for good"],
    ],
    exitStatus: SOME_FAILED,
  }).action(async (ids: string[], options: DeleteOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { deleteDocuments } = await import("../client/documents.ts");
    await runClient(context, options, (client) => deleteDocuments(ids, options, client));
  });
}
