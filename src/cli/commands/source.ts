import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { fetcherOptions } from "../fetcher_options.ts";
import { helpSections } from "../help_text.ts";
import type { AddUrlOptions } from "../web/add_url.ts";
import { isUrl, refuseForUrls, withUrlOptions } from "../web/url_options.ts";
import { type OutputFlags, values, withOutput, words, yes } from "./client_options.ts";
import type { AddSourceOptions, RemoveSourceOptions, SyncOptions } from "../client/sources.ts";

/** `kb-mcp source`: folders that stay in sync. */
export function sourceCommand(context: CommandContext): Command {
  return new Command("source")
    .summary("folders and websites that stay in sync")
    .description(
      "Keep folders in sync: created, changed, renamed and deleted files follow. Websites are fetched again by sync.",
    )
    .addCommand(addCommand(context))
    .addCommand(listCommand(context))
    .addCommand(syncCommand(context))
    .addCommand(removeCommand(context))
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp source add ~/notes --watch", "Keep a folder in sync"],
          ["kb-mcp source list", "List the sources"],
        ],
      }),
    );
}

/** Exit statuses of commands that synchronize. */
const SYNC_STATUS = { 1: "the folder cannot be synchronized", 2: "some files could not be stored" };

function addCommand(context: CommandContext): Command {
  const command = new Command("add")
    .summary("add a folder or website and synchronize it")
    .description(
      "Add a folder on the engine's machine or a website, or change its options, and synchronize it.",
    )
    .argument("<dir>", "folder, or a URL")
    .option(
      "--name <name>",
      "name of the source, the start of its paths (default: that of the folder or host)",
    )
    .option("--watch", "follow changes while the engine runs")
    .option("--writable", "let agents create files")
    .option("--description <text>", "subject of the folder, for agents")
    .option("-c, --collection <name>", "collection of the documents (default: documents)")
    .option("-t, --tags <tags>", "tags of the documents, separated by commas", words)
    .option("--include <pattern>", "only these files, as in .gitignore; may be repeated", values)
    .option("--exclude <pattern>", "not these files; may be repeated", values)
    .option("--section <folder=text>", "describe a folder at the top, for agents; may be repeated", values);
  return withOutput(withUrlOptions(command), {
    examples: [
      ["kb-mcp source add ~/notes --watch", "Keep ~/notes in sync as the source notes"],
      ["kb-mcp source add . --name docs --exclude drafts/", "Everything but a folder"],
      ["kb-mcp source add ~/vault --writable --section journal='One note a day'", "Agents may add files"],
      ["kb-mcp source add https://docs.example.com/v2/ --crawl", "The pages of a site below a folder"],
    ],
    exitStatus: SYNC_STATUS,
  }).action(async (dir: string, options: AddSourceOptions & AddUrlOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    if (isUrl(dir)) {
      refuseForUrls(options, ["watch", "writable", "include", "exclude", "section"]);
      const { addUrls } = await import("../web/add_url.ts");
      const fetch = fetcherOptions(await context.config());
      return await runClient(context, options, (client) => addUrls([dir], options, client, fetch), {
        createsData: true,
      });
    }
    const { addSource } = await import("../client/sources.ts");
    await runClient(context, options, (client) => addSource(dir, options, client), { createsData: true });
  });
}

function listCommand(context: CommandContext): Command {
  const command = new Command("list")
    .summary("list the sources with their state")
    .description("List the sources with their sections and the files that could not be stored.");
  return withOutput(command, {
    examples: [["kb-mcp source list", "List the sources"]],
  }).action(async (options: OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { listSources } = await import("../client/sources.ts");
    await runClient(context, options, listSources);
  });
}

function syncCommand(context: CommandContext): Command {
  const command = new Command("sync")
    .summary("synchronize sources and print the reports")
    .description("Synchronize all sources, one source, or a file or folder in it, and print the changes.")
    .argument("[name]", "name of the source (default: all)")
    .argument("[path]", "only this file or folder, relative to that of the source")
    .option("--retry", "read files again that have failed and have not changed since");
  return withOutput(command, {
    examples: [
      ["kb-mcp source sync", "Synchronize all sources"],
      ["kb-mcp source sync notes", "Compare the folder with the documents"],
      ["kb-mcp source sync notes journal/2026.md", "Compare one file"],
    ],
    exitStatus: SYNC_STATUS,
  }).action(
    async (name: string | undefined, path: string | undefined, options: SyncOptions & OutputFlags) => {
      const { runClient } = await import("../client/run_client.ts");
      const { syncSource } = await import("../client/sources.ts");
      await runClient(context, options, (client) => syncSource({ name, path }, options, client));
    },
  );
}

function removeCommand(context: CommandContext): Command {
  const command = new Command("remove")
    .summary("remove a source")
    .description(
      "Remove a source, and move its documents to the trash. The files stay as they are. Asks on a terminal.",
    )
    .argument("<name>", "name of the source")
    .option("--keep-documents", "keep the documents, which no longer follow the files")
    .option(...yes);
  return withOutput(command, {
    examples: [
      ["kb-mcp source remove notes", "Remove the source and its documents"],
      ["kb-mcp source remove notes --keep-documents", "Keep the documents"],
    ],
  }).action(async (name: string, options: RemoveSourceOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { removeSource } = await import("../client/sources.ts");
    await runClient(context, options, (client) => removeSource(name, options, client));
  });
}
