import { describeSettings } from "../config/mod.ts";

/** Examples and exit statuses of a command. */
export interface HelpSections {
  /** Command lines, each with its purpose. */
  readonly examples: readonly (readonly [commandLine: string, purpose: string])[];
  /** Meanings of exit statuses besides 0, 64 and those of signals. */
  readonly exitStatus?: Readonly<Record<string, string>>;
}

/** Exit statuses that every command has. */
const COMMON_STATUS: Readonly<Record<string, string>> = {
  0: "success",
  64: "invalid arguments or settings",
};

/**
 * Returns the text after the options in the `--help` of a command: examples and exit statuses.
 *
 * @example
 * ```ts
 * import { helpSections } from "./help_text.ts";
 * import { assertStringIncludes } from "@std/assert";
 * const text = helpSections({ examples: [["kb-mcp engine", "Serve the engine"]], exitStatus: { 65: "damage" } });
 * assertStringIncludes(text, "  kb-mcp engine\n      Serve the engine\n");
 * ```
 */
export function helpSections({ examples, exitStatus = {} }: HelpSections): string {
  const lines = examples.map(([commandLine, purpose]) => `  ${commandLine}\n      ${purpose}\n`);
  const statuses = Object.entries({ ...COMMON_STATUS, ...exitStatus })
    .map(([status, meaning]) => `  ${status.padEnd(9)}${meaning}\n`);
  return `\nExamples:\n${lines.join("")}\nExit status:\n${statuses.join("")}`;
}

/** Returns the text after the commands in `kb-mcp --help`: first steps, and where the rest is. */
export function programSections(): string {
  return `
First steps:
  kb-mcp serve                             serve the knowledge base to agents
  kb-mcp source add ~/notes --watch        keep a folder in sync
  kb-mcp search "how do we deploy"         search in the shell
  kb-mcp connect claude-code --write       connect an agent

"kb-mcp COMMAND --help" prints the options, settings, examples and exit statuses of a command, and
"kb-mcp config --help" every setting with its environment variable and default.
`;
}

/** Returns the text about the values of settings in the `--help` of the command that shows all of them. */
export function settingValuesSection(): string {
  const secrets = describeSettings().filter(({ secret }) => secret).map(({ name }) => name);
  return `
Durations: 500ms, 3s, 10m; a number without a unit counts seconds. Sizes: 64KiB, 8MiB, 1GiB.
Secrets may also be in the environment themselves: ${secrets.join(", ")}.
`;
}
