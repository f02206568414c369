import { Command } from "commander";
import { MAX_TOP, SEARCH_DETAILS, SEARCH_MODES, SEARCH_SORTS } from "../../contract/mod.ts";
import type { SearchOptions } from "../client/search.ts";
import type { CommandContext } from "../context.ts";
import { integerOption, shareOption } from "../option_values.ts";
import { choice, type OutputFlags, withFilters, withOutput } from "./client_options.ts";

/** Refuses an excluded word that would be an option with its value: `-car` is `-c ar`, and `-tag` is `-t ag`. */
class SearchCommand extends Command {
  override parseOptions(args: string[]): ReturnType<Command["parseOptions"]> {
    const end = args.indexOf("--");
    const word = args.slice(0, end < 0 ? args.length : end).find((each) => /^-[cnt]\p{L}/u.test(each));
    if (word === undefined) return super.parseOptions(args);
    const [option, value] = [word.slice(0, 2), word.slice(2)];
    this.error(
      `error: '${word}' is read as ${option} ${value}. Write that, or put words to exclude after --`,
    );
  }
}

/** `kb-mcp search`. */
export function searchCommand(context: CommandContext): Command {
  const command = new SearchCommand("search")
    .summary("search for passages by words and meaning")
    .description(
      'Search for passages by words and meaning, best first. Operators: "exact phrase" and -excluded (after --).',
    )
    .argument("<query...>", "a question, keywords or an identifier")
    .option("-n, --top <n>", "maximum number of results (default: 10)", integerOption("--top", 1, MAX_TOP))
    .addOption(choice("--mode <mode>", "ranking (default: hybrid with an embedding model)", SEARCH_MODES))
    .addOption(choice("--sort <order>", "order (default: relevance)", SEARCH_SORTS))
    .option("--recency <weight>", "prefer recent changes, from 0 to 1", shareOption("--recency"))
    .option("--weak", "also print results far below the best one")
    .addOption(
      choice("--detail <detail>", "text of a result (default: snippet, with JSON chunk)", SEARCH_DETAILS),
    )
    .option("--document <id>", "only in this document")
    .option(
      "--per-document <n>",
      "maximum number of results of one document",
      integerOption("--per-document", 1, MAX_TOP),
    );
  return withOutput(withFilters(command), {
    examples: [
      ["kb-mcp search how to descale the kettle", "Search everything"],
      [
        "kb-mcp search '\"exact phrase\"' --since 7d -c memory",
        "Search the memories of the last week for a phrase",
      ],
      ["kb-mcp search --since 7d -- jaguar -car", "Exclude a word: options come before --"],
      ["kb-mcp search -n 3 --json kettle | jq '.results[].document_id'", "Use the results in a script"],
    ],
  }).action(async (query: string[], options: SearchOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { search } = await import("../client/search.ts");
    await runClient(context, options, (client) => search(query.join(" "), options, client));
  });
}
