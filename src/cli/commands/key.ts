import { Command } from "commander";
import type { JsonFlag, KeyContext, KeyOptions } from "../key/mod.ts";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";
import { addSettings } from "../setting_options.ts";
import { choice, jsonReport, withJson } from "./client_options.ts";

/** Scopes of keys; a test compares them with those of the keys. */
const SCOPES = ["read", "add", "write"] as const;
const SCOPE_HELP =
  "read: search and read; add: also store new notes and files; write: also change and delete";
const EXPIRES = [
  "--expires <time>",
  "refuse the key from this date or time (UTC) on, or after a duration: 2027-01-31, 90d, 12h, never",
] as const;
/** Exit status of all commands but those that only read. */
const STATUS = { 1: "the keys file cannot be read or written" };

/** `kb-mcp key`. */
export function keyCommand(context: CommandContext): Command {
  return new Command("key")
    .summary("add, list, change, rotate or remove named keys of the MCP server")
    .description(
      "Manage the named keys of the MCP server in the keys file (KB_MCP_KEYS). A running server applies a change within a " +
        "second.",
    )
    .addCommand(addCommand(context))
    .addCommand(listCommand(context))
    .addCommand(changeCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(removeCommand(context))
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp key add alice --scope write --expires 90d", "Add a key and print it"],
          ["kb-mcp key list", "List the keys"],
        ],
      }),
    );
}

async function keyContext(context: CommandContext): Promise<KeyContext> {
  return {
    config: await context.config(),
    now: Date.now,
    print: (text) => context.print(text),
    printError: (text) => context.printError(text),
  };
}

function subcommand(name: string): Command {
  return addSettings(new Command(name), ["KB_MCP_KEYS"]);
}

function addCommand(context: CommandContext): Command {
  return subcommand("add")
    .summary("add a key and print it")
    .description(
      "Add a key and print it, alone on standard output. The keys file has its hash only, so it is not shown again.",
    )
    .argument("<name>", "person or program that gets the key")
    .addOption(choice("--scope <scope>", SCOPE_HELP, SCOPES).default("read"))
    .option(...EXPIRES)
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp key add alice --scope write", "A key that may do everything"],
          ["kb-mcp key add ci --scope add --expires 90d > key", "A key for 90 days, into a file"],
        ],
        exitStatus: STATUS,
      }),
    )
    .action(async (name: string, options: KeyOptions & JsonFlag) => {
      const { addKey } = await import("../key/mod.ts");
      await addKey(name, options, await keyContext(context));
    });
}

function listCommand(context: CommandContext): Command {
  return withJson(subcommand("list"))
    .summary("list the keys with scope and expiry")
    .description("List the keys with scope, creation and expiry. The keys themselves are not stored.")
    .addHelpText(
      "after",
      helpSections({ examples: [["kb-mcp key list", "List the keys"]], exitStatus: STATUS }),
    )
    .action(async ({ json = !context.isTerminal }: { json?: boolean }) => {
      const { listKeys } = await import("../key/mod.ts");
      await listKeys({ json }, await keyContext(context));
    });
}

function changeCommand(context: CommandContext): Command {
  return subcommand("change")
    .summary("change the scope or expiry of a key")
    .description("Change the scope or expiry of a key, which itself stays the same.")
    .argument("<name>", "name of the key")
    .addOption(choice("--scope <scope>", SCOPE_HELP, SCOPES))
    .option(...EXPIRES)
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ["kb-mcp key change alice --scope read", "Take the right to change anything"],
          ["kb-mcp key change ci --expires never", "Remove the expiry"],
        ],
        exitStatus: STATUS,
      }),
    )
    .action(async (name: string, options: KeyOptions & JsonFlag) => {
      const { changeKeyOptions } = await import("../key/mod.ts");
      await changeKeyOptions(name, options, await keyContext(context));
    });
}

function rotateCommand(context: CommandContext): Command {
  return subcommand("rotate")
    .summary("replace a key by a new one and print it")
    .description(
      "Replace a key by a new one with the same name, scope and expiry, and print it. The old one is refused at once.",
    )
    .argument("<name>", "name of the key")
    .option(...EXPIRES)
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({
        examples: [["kb-mcp key rotate alice", "Print a new key for alice"]],
        exitStatus: STATUS,
      }),
    )
    .action(async (name: string, options: KeyOptions & JsonFlag) => {
      const { rotateKey } = await import("../key/mod.ts");
      await rotateKey(name, options, await keyContext(context));
    });
}

function removeCommand(context: CommandContext): Command {
  return subcommand("remove")
    .summary("remove a key")
    .description("Remove a key, which a running server refuses within a second.")
    .argument("<name>", "name of the key")
    .option(...jsonReport)
    .addHelpText(
      "after",
      helpSections({ examples: [["kb-mcp key remove alice", "Revoke the key"]], exitStatus: STATUS }),
    )
    .action(async (name: string, options: JsonFlag) => {
      const { removeKey } = await import("../key/mod.ts");
      await removeKey(name, options, await keyContext(context));
    });
}
