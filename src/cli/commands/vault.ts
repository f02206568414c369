import { Command } from "commander";
import { ConfigError } from "../../config/mod.ts";
import { HEALTH_CHECKS, type HealthCheck } from "../../vault/mod.ts";
import type { HealthFlags } from "../client/vault.ts";
import type { CommandContext } from "../context.ts";
import { integerOption } from "../option_values.ts";
import { type OutputFlags, withOutput, words } from "./client_options.ts";

/** `kb-mcp sections`. */
export function sectionsCommand(context: CommandContext): Command {
  const command = new Command("sections")
    .summary("list the sections of sources")
    .description(
      "List the sections of sources: their top folders, with descriptions and numbers of documents.",
    )
    .argument("[source]", "only this source");
  return withOutput(command, { examples: [["kb-mcp sections notes", "List the sections of a source"]] })
    .action(async (source: string | undefined, options: OutputFlags) => {
      const { runClient } = await import("../client/run_client.ts");
      const { sections } = await import("../client/vault.ts");
      await runClient(context, options, (client) => sections(source, client));
    });
}

/** `kb-mcp context`. */
export function contextCommand(context: CommandContext): Command {
  const command = new Command("context")
    .summary("print the front matter and a summary of a document")
    .description("Print the front matter and a summary of a document, without its text.")
    .argument("<document>", "id, path or title");
  return withOutput(command, {
    examples: [["kb-mcp context notes/plan.md", "Inspect a document before reading it"]],
  })
    .action(async (document: string, options: OutputFlags) => {
      const { runClient } = await import("../client/run_client.ts");
      const vault = await import("../client/vault.ts");
      await runClient(context, options, (client) => vault.context(document, client));
    });
}

/** `kb-mcp digest`. */
export function digestCommand(context: CommandContext): Command {
  const command = new Command("digest")
    .summary("summarize a source: sections, topics, recent changes and gaps")
    .description("Summarize a source: its sections, topics, recent changes and gaps.")
    .argument("[source]", "name of the source; needed if there are several");
  return withOutput(command, { examples: [["kb-mcp digest notes", "Summarize a source"]] })
    .action(async (source: string | undefined, options: OutputFlags) => {
      const { runClient } = await import("../client/run_client.ts");
      const { digest } = await import("../client/vault.ts");
      await runClient(context, options, (client) => digest(source, client));
    });
}

/** `kb-mcp health`. */
export function healthCommand(context: CommandContext): Command {
  const command = new Command("health")
    .summary("find broken links, orphans, duplicates and other problems of a source")
    .description(
      "Find broken links, orphans, empty and untagged files, duplicates and stale documents of a source.",
    )
    .argument("[source]", "name of the source; needed if there are several")
    .option("--section <path>", "only this section, or folder below it")
    .option("--check <checks>", `only these checks, separated by commas: ${HEALTH_CHECKS.join(", ")}`, checks)
    .option(
      "--stale-days <n>",
      "days without a change (default: 365)",
      integerOption("--stale-days", 1, 36_500),
    );
  return withOutput(command, {
    examples: [
      ["kb-mcp health notes", "Check a source"],
      ["kb-mcp health docs --check broken_links --json", "List the broken links"],
    ],
  }).action(async (source: string | undefined, options: HealthFlags & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { health } = await import("../client/vault.ts");
    await runClient(context, options, (client) => health(source, options, client));
  });
}

/** `kb-mcp concat`. */
export function concatCommand(context: CommandContext): Command {
  const command = new Command("concat")
    .summary("print a source as one Markdown document")
    .description("Print the documents of a source as one Markdown document with a table of contents.")
    .argument("[source]", "name of the source; needed if there are several")
    .option("--section <path>", "only this section, or folder below it");
  return withOutput(command, { examples: [["kb-mcp concat docs > docs.md", "Write a source to one file"]] })
    .action(async (source: string | undefined, options: { section?: string } & OutputFlags) => {
      const { runClient } = await import("../client/run_client.ts");
      const { concat } = await import("../client/vault.ts");
      await runClient(context, options, (client) => concat(source, options, client));
    });
}

/** Parses names of checks, separated by commas. */
function checks(text: string, previous: readonly string[] = []): HealthCheck[] {
  return words(text, previous).map((name) => {
    const check = HEALTH_CHECKS.find((each) => each === name.replaceAll("-", "_"));
    if (check) return check;
    throw new ConfigError(
      `--check must be one or more of ${HEALTH_CHECKS.join(", ")}, separated by commas, got ${
        JSON.stringify(text)
      }`,
    );
  });
}
