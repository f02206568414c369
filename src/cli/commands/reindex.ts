import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { warnOfRootFiles } from "../files_of_root.ts";
import { helpSections } from "../help_text.ts";
import { addSettings, EMBEDDING_SETTINGS } from "../setting_options.ts";
import { jsonReport } from "./client_options.ts";

/** `kb-mcp reindex`. */
export function reindexCommand(context: CommandContext): Command {
  return addSettings(new Command("reindex"), ["KB_DATA_DIR", ...EMBEDDING_SETTINGS])
    .summary("embed all chunks with the configured model; the engine may keep running")
    .description("Embed all chunks with the configured model. The engine may keep running.")
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [["KB_EMBEDDINGS_MODEL=multilingual-e5-small kb-mcp reindex", "Embed with another model"]],
        exitStatus: {
          1: "the embedding model cannot be used",
          "128 + N": "stopped by signal N; the next run continues",
        },
      }),
    )
    .action(async ({ json }: { json?: boolean }) => {
      const { runReindex } = await import("../reindex.ts");
      const config = await context.config();
      const command = {
        defaultDataDir: () => context.defaultDataDir(),
        print: (text: string) => context.print(text),
        printError: (text: string) => context.printError(text),
        json,
      };
      context.exit(await warnOfRootFiles(context, () => runReindex(config, command)));
    });
}
