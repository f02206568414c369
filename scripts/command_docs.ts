import type { Command, Option } from "commander";
import { createContext } from "../src/cli/context.ts";
import { createProgram } from "../src/cli/program.ts";
import { SettingOption } from "../src/cli/setting_options.ts";

/** Returns the reference of every command as Markdown, for `docs/cli.md`. */
export function commandTable(): string {
  return commandsOf(createProgram(silentContext())).map(describeCommand).join("\n");
}

/** Returns the commands that do something, in the order of `--help`. */
export function commandsOf(command: Command): Command[] {
  return command.commands.length > 0 ? command.commands.flatMap(commandsOf) : [command];
}

function silentContext() {
  return createContext({ env: {}, writeOut: () => {}, writeError: () => {}, isTerminal: false });
}

function describeCommand(command: Command): string {
  const own = command.options.filter((option) => !(option instanceof SettingOption) && !option.hidden);
  const settings = command.options.filter((option) => option instanceof SettingOption);
  const sections = [
    `### ${commandLine(command)}`,
    command.description(),
    command.registeredArguments.map((argument) =>
      `- \`${argument.name().toUpperCase()}\`: ${escape(argument.description)}`
    )
      .concat(own.map(describeOption)).join("\n"),
    settings.length > 0 ? `Settings: ${settings.map(({ long }) => `\`${long}\``).join(", ")}.` : "",
    `\`\`\`sh\n${examples(command)}\n\`\`\``,
  ];
  return sections.filter((section) => section !== "").join("\n\n") + "\n";
}

function describeOption({ flags, description, argChoices, defaultValue }: Option): string {
  const choices = argChoices ? ` One of ${argChoices.join(", ")}.` : "";
  const fallback = defaultValue === undefined ? "" : ` Default: ${JSON.stringify(defaultValue)}.`;
  return `- \`${flags}\`: ${escape(description)}.${choices}${fallback}`;
}

/** Returns `kb-mcp model install NAME|FILE`. */
function commandLine(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) names.unshift(each.name());
  const args = command.registeredArguments.map((argument) => {
    const name = argument.name().toUpperCase() + (argument.variadic ? "…" : "");
    return argument.required ? name : `[${name}]`;
  });
  return [...names, ...args].join(" ");
}

/** Returns the examples of `--help`, each after its purpose as a comment. */
function examples(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => text += part }).outputHelp();
  const lines = /\nExamples:\n((?: .*\n)+)/.exec(text)?.[1]?.trimEnd().split("\n") ?? [];
  return lines.flatMap((line, index) => index % 2 === 0 ? [`# ${lines[index + 1]?.trim()}`, line.trim()] : [])
    .join("\n");
}

function escape(text: string): string {
  return text.replaceAll("<", "&lt;");
}
