import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import type { EvalOptions } from "../eval.ts";
import { helpSections } from "../help_text.ts";
import { listOption } from "../option_values.ts";
import { SEARCH_MODES } from "../../contract/mod.ts";
import { addSettings, EMBEDDING_SETTINGS } from "../setting_options.ts";

/** `kb-mcp eval`. */
export function evalCommand(context: CommandContext): Command {
  return addEvalOptions(
    addSettings(new Command("eval"), ["KB_ENGINE_URL", "KB_API_KEY", "KB_DATA_DIR", ...EMBEDDING_SETTINGS]),
  )
    .summary("evaluate search with your own queries and relevance judgements")
    .description(
      "Evaluate search with your own queries and relevance judgements. A folder has queries.jsonl and qrels.tsv; " +
        "with docs.jsonl, its documents are searched instead of your knowledge base.",
    )
    .argument("<dir...>", "folders with queries.jsonl and qrels.tsv")
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp eval questions", "Evaluate the knowledge base with the judged queries in ./questions"],
          ["kb-mcp eval questions --mode fts,hybrid --baseline scores.json", "Compare with earlier scores"],
        ],
        exitStatus: { 1: "a metric is below the baseline" },
      }),
    )
    .action(
      async (folders: string[], options: EvalOptions) => {
        const { runEval } = await import("../eval.ts");
        context.exit(
          await runEval(folders, options, await context.config(), {
            log: await context.log(),
            defaultDataDir: () => context.defaultDataDir(),
            modelDataDir: () => context.defaultDataDir(),
            print: (text) => context.print(`${text}\n`),
            progress: (text) => context.printError(text),
          }),
        );
      },
    );
}

/** Adds the options of an evaluation to a command. */
export function addEvalOptions(command: Command): Command {
  return command
    .option(
      "--mode <modes>",
      "search modes to compare, separated by commas (default: all that are available)",
      listOption("--mode", SEARCH_MODES),
    )
    .option("--json [file]", "write all results as JSON to a file; without one, to standard output")
    .option("--baseline <file>", "compare with earlier scores or results; with --update, replace them")
    .option("--update", "write the scores to the baseline file instead of comparing")
    .option("--verbose", "list the queries with the lowest scores");
}
