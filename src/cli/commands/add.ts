import { Command } from "commander";
import type { AddOptions } from "../add/add.ts";
import type { CommandContext } from "../context.ts";
import { type OutputFlags, values, withOutput, words } from "./client_options.ts";

/** `kb-mcp add`. */
export function addCommand(context: CommandContext): Command {
  const command = new Command("add")
    .summary("add files and folders")
    .description(
      "Add files, and the documents of folders: Markdown, HTML, PDF, DOCX and text. Files that are stored already are " +
        "skipped, so that a command that was stopped can be run again. .gitignore and .kbignore are respected. The " +
        "path of a document is the name of the folder and the path inside it.",
    )
    .argument("<path...>", "files and folders")
    .option("-r, --recursive", "include the folders in a folder")
    .option("-c, --collection <name>", "collection (default: documents; a stored document keeps its own)")
    .option("-t, --tags <tags>", "tags, separated by commas", words)
    .option("--prefix <name>", "start of the paths of documents, instead of the name of the folder")
    .option("--include <glob>", "only these files, in the syntax of .gitignore; may be repeated", values)
    .option("--exclude <glob>", "not these files; may be repeated", values)
    .option("--overwrite", "replace notes at the paths of files")
    .option("--dry-run", "print what would be done")
    .option("--no-wait", "do not wait until the files are stored");
  return withOutput(command, {
    examples: [
      ["kb-mcp add report.pdf", "Add a file"],
      ["kb-mcp add ~/notes --recursive --tags notes", "Add a folder, with its subfolders"],
      [
        "kb-mcp add docs -r --prefix handbook --exclude 'drafts/'",
        "Name the documents handbook/..., without drafts",
      ],
    ],
    exitStatus: {
      1: "no file could be stored, or the engine reports an error",
      2: "some files could not be stored",
    },
  }).action(async (paths: string[], options: AddOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { add } = await import("../add/add.ts");
    await runClient(context, options, (client) => add(paths, options, client));
  });
}
