import { runCommand } from "../../scripts/run_command.ts";

/** Protocol versions that the suites are run with. */
export type ProtocolVersion = "2025-11-25" | "2026-07-28";

/** A release of the official conformance suite, with the protocol versions that it is run with. */
export interface Suite {
  readonly version: string;
  readonly protocolVersions: readonly ProtocolVersion[];
}

/** The releases that must pass. The last stable one does not know 2026-07-28. */
export const SUITES: readonly Suite[] = [
  { version: "0.1.16", protocolVersions: ["2025-11-25"] },
  { version: "0.2.0-alpha.12", protocolVersions: ["2025-11-25", "2026-07-28"] },
];

/** A scenario in the list of a suite. */
export interface ListedScenario {
  readonly name: string;
  /** Protocol versions that it applies to; empty for a scenario of an extension. */
  readonly versions: readonly string[];
}

/** Returns the command that runs a suite, without our configuration and lock file. */
export function suiteCommand({ version }: Suite, ...args: string[]): string[] {
  const specifier = `npm:@modelcontextprotocol/conformance@${version}`;
  return [Deno.execPath(), "run", "-A", "--quiet", "--no-config", "--no-lock", specifier, ...args];
}

/**
 * Lists the server scenarios of a suite.
 *
 * @throws {Error} When the suite fails or its list cannot be parsed.
 */
export async function listScenarios(suite: Suite): Promise<ListedScenario[]> {
  const { code, output } = await runCommand(suiteCommand(suite, "list", "--server"));
  const listed = parseList(output);
  if (code === 0 && listed.length > 0) return listed;
  throw new Error(`Cannot list the scenarios of the conformance suite ${suite.version}:\n${output}`);
}

/** Parses lines such as `  - ping [2025-06-18,2025-11-25]`. */
export function parseList(output: string): ListedScenario[] {
  return [...output.matchAll(/^ +- (\S+) \[([^\]]*)\]$/gm)].map(([, name = "", tags = ""]) => ({
    name,
    versions: tags.split(",").filter((tag) => /^\d{4}-\d{2}-\d{2}$/.test(tag)),
  }));
}
