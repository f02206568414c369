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

/** Returns the text after the commands in `kb-mcp --help`: all settings and exit statuses. */
export function programSections(): string {
  const settings = describeSettings().map(({ name, default: value, secret, help }) => {
    const file = secret ? ` ${name}_FILE may name a file with the value.` : "";
    return `  ${name}${value === undefined ? "" : ` [${value}]`}\n      ${help}${file}`;
  }).join("\n");
  return `
"kb-mcp COMMAND --help" prints the options, examples and exit statuses of a command.

Settings (environment variables, [default]):
${settings}

Durations: 500ms, 3s, 10m; a number without a unit counts seconds. Sizes: 64KiB, 8MiB, 1GiB.

Exit status:
  0        success
  1        the command failed: unhealthy or unreachable server, metric below the baseline, unusable or unreachable
           embedding model
  2        the command failed for some of the files
  64       invalid arguments or settings, or a data directory that is in use or not writable
  65       stored data is damaged or missing: restore a backup, or run kb-mcp repair
  69       the server or engine cannot be reached
  128 + N  stopped by signal N
`;
}
