import { Command } from "commander";
import type { AddOptions } from "../add/add.ts";
import { ConfigError } from "../../config/mod.ts";
import type { CommandContext } from "../context.ts";
import { fetcherOptions } from "../fetcher_options.ts";
import type { AddUrlOptions } from "../web/add_url.ts";
import { isUrl, refuseForUrls, withUrlOptions } from "../web/url_options.ts";
import { type OutputFlags, values, withOutput, words } from "./client_options.ts";

/** `kb-mcp add`. */
export function addCommand(context: CommandContext): Command {
  const command = new Command("add")
    .summary("add files, folders and web pages")
    .description(
      "Add files, and the documents of folders: PDF, Office, e-books, e-mail, web pages, Markdown and text. A ZIP or TAR " +
        "archive is added as its files. Files that are stored already are skipped, so that a command that was stopped can be run again. .gitignore and .kbignore are respected. The " +
        "path of a document is the name of the folder and the path inside it. A page or PDF of the web is fetched by " +
        "the engine, which keeps it as a source; robots.txt is respected.",
    )
    .argument("<path...>", "files and folders, or URLs")
    .option("-r, --recursive", "include the folders in a folder")
    .option("-c, --collection <name>", "collection (default: documents; a stored document keeps its own)")
    .option("-t, --tags <tags>", "tags, separated by commas", words)
    .option("--prefix <name>", "start of the paths of documents, instead of the name of the folder")
    .option("--include <glob>", "only these files, in the syntax of .gitignore; may be repeated", values)
    .option("--exclude <glob>", "not these files; may be repeated", values)
    .option("--overwrite", "replace notes at the paths of files")
    .option("--dry-run", "print what would be done")
    .option("--no-wait", "do not wait until the files are stored")
    .option("--name <name>", "URLs: name of the source (default: that of the host)");
  return withOutput(withUrlOptions(command), {
    examples: [
      ["kb-mcp add report.pdf", "Add a file"],
      ["kb-mcp add ~/notes --recursive --tags notes", "Add a folder, with its subfolders"],
      [
        "kb-mcp add docs -r --prefix handbook --exclude 'drafts/'",
        "Name the documents handbook/..., without drafts",
      ],
      ["kb-mcp add https://docs.example.com/install", "Add a page; kb-mcp source sync fetches it again"],
      [
        "kb-mcp add https://docs.example.com/v2/ --crawl --version-label 2",
        "Add the pages of a site below a folder",
      ],
    ],
    exitStatus: {
      1: "no file could be stored, or the engine reports an error",
      2: "some files could not be stored",
    },
  }).action(async (paths: string[], options: AddOptions & AddUrlOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    if (paths.some(isUrl)) {
      if (!paths.every(isUrl)) throw new ConfigError("URLs and paths must be added by two commands");
      refuseForUrls(options, ["recursive", "prefix", "include", "exclude", "overwrite"]);
      const { addUrls } = await import("../web/add_url.ts");
      const fetch = fetcherOptions(await context.config());
      return await runClient(context, options, (client) => addUrls(paths, options, client, fetch), {
        createsData: true,
      });
    }
    const { add } = await import("../add/add.ts");
    await runClient(context, options, (client) => add(paths, options, client), { createsData: true });
  });
}
