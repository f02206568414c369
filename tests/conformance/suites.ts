import { runCommand } from "../../scripts/run_command.ts";

/** A protocol era, named by the newest revision of it, which is what the suite speaks. */
export type Era = "2025-11-25" | "2026-07-28";

/** A release of the official conformance suite, and the eras in which it is run. */
export interface Suite {
  readonly version: string;
  readonly eras: readonly Era[];
}

/** The releases that we hold ourselves to: the last stable one knows no 2026 era. The only place that names them. */
export const SUITES: readonly Suite[] = [
  { version: "0.1.16", eras: ["2025-11-25"] },
  { version: "0.2.0-alpha.12", eras: ["2025-11-25", "2026-07-28"] },
];

/** A scenario as a suite lists it. */
export interface ListedScenario {
  readonly name: string;
  /** The revisions that it belongs to; none for one of an extension. */
  readonly revisions: readonly string[];
}

/** The words that start a suite; it reads neither our configuration nor our lock file. */
export function suiteCommand({ version }: Suite, ...args: string[]): string[] {
  const specifier = `npm:@modelcontextprotocol/conformance@${version}`;
  return [Deno.execPath(), "run", "-A", "--quiet", "--no-config", "--no-lock", specifier, ...args];
}

/**
 * All scenarios for servers that a suite knows.
 *
 * @throws {Error} When the suite cannot be run, or lists nothing that we can read.
 */
export async function listScenarios(suite: Suite): Promise<ListedScenario[]> {
  const { code, output } = await runCommand(suiteCommand(suite, "list", "--server"));
  const listed = parseList(output);
  if (code === 0 && listed.length > 0) return listed;
  throw new Error(`Cannot list the scenarios of the conformance suite ${suite.version}:\n${output}`);
}

/** Reads lines such as `  - ping [2025-06-18,2025-11-25]`. */
export function parseList(output: string): ListedScenario[] {
  return [...output.matchAll(/^ +- (\S+) \[([^\]]*)\]$/gm)].map(([, name = "", tags = ""]) => ({
    name,
    revisions: tags.split(",").filter((tag) => /^\d{4}-\d{2}-\d{2}$/.test(tag)),
  }));
}
