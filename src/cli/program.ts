import { Command, CommanderError, Help } from "commander";
import { oneLine } from "../text/mod.ts";
import { NAME, VERSION } from "../version.ts";
import { addCommand } from "./commands/add.ts";
import { backupCommand } from "./commands/backup.ts";
import { checkCommand } from "./commands/check.ts";
import { collectionCommand, deleteCommand, tagsCommand } from "./commands/documents.ts";
import { configCommand } from "./commands/config.ts";
import { completionCommand } from "./commands/completion.ts";
import { connectCommand } from "./commands/connect.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { engineCommand } from "./commands/engine.ts";
import { evalCommand } from "./commands/eval.ts";
import { exportCommand } from "./commands/export.ts";
import { getCommand } from "./commands/get.ts";
import { healthcheckCommand } from "./commands/healthcheck.ts";
import { historyCommand, trashCommand } from "./commands/history.ts";
import { importCommand } from "./commands/import.ts";
import { jobsCommand } from "./commands/jobs.ts";
import { keyCommand } from "./commands/key.ts";
import { listCommand } from "./commands/list.ts";
import { modelCommand } from "./commands/model.ts";
import { addNoteCommand, editCommand, updateNoteCommand } from "./commands/notes.ts";
import { recallCommand } from "./commands/recall.ts";
import { reindexCommand } from "./commands/reindex.ts";
import { repairCommand } from "./commands/repair.ts";
import { restoreCommand } from "./commands/restore.ts";
import { searchCommand } from "./commands/search.ts";
import { serveCommand } from "./commands/serve.ts";
import { sourceCommand } from "./commands/source.ts";
import { statusCommand } from "./commands/status.ts";
import { stdioCommand } from "./commands/stdio.ts";
import {
  concatCommand,
  contextCommand,
  digestCommand,
  healthCommand,
  sectionsCommand,
} from "./commands/vault.ts";
import { vacuumCommand } from "./commands/vacuum.ts";
import { versionCommand } from "./commands/version.ts";
import type { CommandContext } from "./context.ts";
import { EX_USAGE } from "./exit_status.ts";
import { programSections } from "./help_text.ts";
import { addSettings, givenFlags, hasSettings, SettingOption } from "./setting_options.ts";

/** Commands by group, in the order of `--help`. */
const GROUPS: Readonly<Record<string, readonly ((context: CommandContext) => Command)[]>> = {
  Serve: [serveCommand, engineCommand, healthcheckCommand],
  Use: [
    searchCommand,
    getCommand,
    listCommand,
    addCommand,
    addNoteCommand,
    updateNoteCommand,
    editCommand,
    collectionCommand,
    tagsCommand,
    deleteCommand,
    historyCommand,
    trashCommand,
    restoreCommand,
    jobsCommand,
    statusCommand,
    recallCommand,
  ],
  Sources: [
    sourceCommand,
    importCommand,
    sectionsCommand,
    contextCommand,
    digestCommand,
    healthCommand,
    concatCommand,
  ],
  Operate: [
    doctorCommand,
    configCommand,
    keyCommand,
    backupCommand,
    exportCommand,
    checkCommand,
    repairCommand,
    vacuumCommand,
    reindexCommand,
    modelCommand,
    evalCommand,
    versionCommand,
  ],
  Connect: [connectCommand, stdioCommand, completionCommand],
};

/** Maximum length of an unknown option in an error, in characters. */
const MAX_OPTION_CHARS = 80;

/** Width of `--help` where standard output is no terminal, in columns. */
const HELP_COLUMNS = 100;

/**
 * Creates the program: every command with its options and help. A command imports its implementation when it
 * runs, so that a health check does not load a server.
 *
 * Parsing throws `CommanderError` after the message or the help is written; its `exitCode` is 0 for help.
 */
export function createProgram(context: CommandContext): Command {
  const configOption = new SettingOption("KB_MCP_CONFIG", NAME);
  const program = new Command(NAME)
    .description("A knowledge base for AI agents, over MCP.")
    .usage("[COMMAND] [OPTIONS]")
    .version(`${NAME} ${VERSION}`, "-V, --version", "print the version")
    .addOption(configOption)
    .helpOption("-h, --help", "print the help of the program or of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text),
      // The help of a command that needs a subcommand. Errors are written by outputError.
      writeErr: (text) => context.writeError(text),
      getOutHelpWidth: () => context.isTerminal ? Math.min(Deno.consoleSize().columns, 120) : HELP_COLUMNS,
      getErrHelpWidth: () => HELP_COLUMNS,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      subcommandTerm: (command) => term(command),
      commandUsage: (command) => usage(command),
      argumentTerm: (argument) => argument.name().toUpperCase(),
      showGlobalOptions: true,
      visibleGlobalOptions: (command) => command.parent ? [configOption] : [],
    })
    .hook("preAction", (_, command) => context.useFlags(givenFlags(command)))
    .addHelpText("after", () => programSections());
  for (const [group, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(`${group}:`);
    for (const create of commands) {
      const command = create(context);
      if (group === "Use" || group === "Sources") addClientSettings(command);
      program.addCommand(command);
    }
  }
  program.commandsGroup("Operate:").helpCommand(
    "help [command]",
    "print the help of the program or of a command",
  );
  inherit(program, context);
  return program;
}

/** Adds the settings of commands that call an engine, unless a command has named its settings. */
function addClientSettings(command: Command): void {
  command.commands.forEach(addClientSettings);
  if (isRunnable(command) && !hasSettings(command)) addSettings(command, "client");
}

/** Whether a command runs by itself; others only group subcommands. */
function isRunnable(command: Command): boolean {
  return command.commands.length === 0 || command.registeredArguments.length > 0;
}

/** Returns the command line of a command, with arguments as in {@linkcode term} and in documentation. */
function usage(command: Command): string {
  return new Help().commandUsage(command).replaceAll(
    /<([^>]+)>|\[[^\]]+\]/g,
    (bracketed, name: string | undefined) => (name ?? bracketed).toUpperCase(),
  );
}

/** Returns a command with its arguments, for a list of commands. */
function term(command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const name = argument.name().toUpperCase() + (argument.variadic ? "..." : "");
    return argument.required ? name : `[${name}]`;
  });
  return [command.name(), ...args].join(" ");
}

/** Applies the settings of a command to those below it, and names the command in its errors. */
function inherit(command: Command, context: CommandContext): void {
  command.configureOutput({ outputError: (text) => context.printError(describeError(text, command)) });
  for (const child of command.commands) {
    child.copyInheritedSettings(command).helpCommand(false);
    inherit(child, context);
  }
}

/** Returns the command line of a command: `kb-mcp model install`. */
function path(command: Command): string {
  return command.parent ? `${path(command.parent)} ${command.name()}` : command.name();
}

/** Converts a message of the parser, such as "error: unknown option '--x'", to one of this program. */
function describeError(text: string, command: Command): string {
  const problem = text.trim().replace(
    /^error: unknown option '(.*)'(?=$|\n\(Did you mean)/s,
    (_, option) => `error: unknown option '${oneLine(option, MAX_OPTION_CHARS)}'`,
  ).replace(/^error: ./, (start) => start.slice(-1).toUpperCase())
    .replace(/\.$/, "")
    .replace(/\n\(Did you mean (.*)\?\)$/s, " (did you mean $1?)")
    .replace(
      /^Too many arguments for '(.*?)'\. Expected 0 .*? got \d+: (.*)$/s,
      "$1 takes no arguments, got '$2'",
    )
    .replace(
      /^Command-argument value '(.*?)' is invalid for argument '(.*?)'\. Allowed choices are (.*)$/s,
      (_, value, name, choices) => `${name.toUpperCase()} must be one of ${choices}, got '${value}'`,
    )
    .replace(
      /^Missing required argument '(.*)'$/,
      (_, name) => `Missing required argument '${name.toUpperCase()}'`,
    )
    .replace(
      /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. Allowed choices are (.*)$/s,
      "$1 must be one of $3, got '$2'",
    );
  return `${problem.replaceAll("'", '"')}${argumentHint(problem, command)}: see "${path(command)} --help"`;
}

/** Says how to write an argument that was read as an option, such as a word to exclude or a list in Markdown. */
function argumentHint(problem: string, command: Command): string {
  const isArgument = /^Unknown option '(?:-[^-]|.*\s)/.test(problem) &&
    command.registeredArguments.length > 0;
  if (!isArgument) return "";
  const argument = command.name() === "search" ? "words to exclude" : "an argument that starts with -";
  return `. Put ${argument} after --`;
}

/**
 * Parses a command line and runs its command.
 *
 * @returns The exit status.
 */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    const program = createProgram(context);
    const names = new Set(program.commands.map((command) => command.name()));
    await program.parseAsync(withCommand(args, names), { from: "user" });
    return context.status;
  } catch (error) {
    // The parser has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EX_USAGE;
    throw error;
  }
}

/** Options of the program, which may precede the command. */
const PROGRAM_OPTIONS: readonly string[] = ["-h", "--help", "-V", "--version"];

/**
 * Returns the arguments with `serve`, the default command, unless they have a command or ask for help. `help X` becomes
 * `X --help`. A name that is no command stays alone, since the parser would print the help of the program for it.
 */
function withCommand(args: readonly string[], names: ReadonlySet<string>): string[] {
  let index = 0;
  if (args[0] === "--config") index = 2;
  else if (args[0]?.startsWith("--config=")) index = 1;
  if (args[index] === "help" && args[index + 1]?.startsWith("-") === false) {
    return withCommand([...args.slice(0, index), ...args.slice(index + 1), "--help"], names);
  }
  const first = args[index];
  if (first !== undefined && !first.startsWith("-") && first !== "help" && !names.has(first)) return [first];
  const hasCommand = first !== undefined && (!first.startsWith("-") || PROGRAM_OPTIONS.includes(first));
  return hasCommand ? [...args] : args.toSpliced(index, 0, "serve");
}
