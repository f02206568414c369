import { join } from "node:path";
import { type Excused, judge, parseChecks, type Verdict } from "./judge.ts";
import { EXCEPTIONS, type Target } from "./scenarios.ts";
import { type ProtocolVersion, type Suite, suiteCommand } from "./suites.ts";

/** A scenario of one suite, with one protocol version, against one server. */
export interface ScenarioRun {
  readonly suite: Suite;
  readonly protocolVersion: ProtocolVersion;
  readonly scenario: string;
  readonly target: Target;
}

/** Maximum duration of a scenario in milliseconds; the slowest takes 5 s on an idle machine. */
const TIME_LIMIT_MS = 60_000;

/**
 * Runs a scenario in its own process and judges the results. A suite that crashes counts as a failed
 * scenario.
 *
 * @param url The MCP endpoint.
 * @param directory Parent of the directory for the results.
 */
export async function runScenario(run: ScenarioRun, url: string, directory: string): Promise<Verdict> {
  const results = await Deno.makeTempDir({ dir: directory });
  // The old suite only filters lists by --spec-version, and uses the newest version that it knows.
  const options = [
    "server",
    "--url",
    url,
    "--scenario",
    run.scenario,
    "--spec-version",
    run.protocolVersion,
    "-o",
    results,
  ];
  const [program = "", ...args] = suiteCommand(run.suite, ...options);
  const child = new Deno.Command(program, {
    args,
    cwd: results,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  const { code, signal, stdout, stderr } = await child.output();
  if (signal !== null) return broken(`it did not end within ${TIME_LIMIT_MS / 1000} s (${signal})`);
  const json = await readChecks(results);
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (json === undefined) {
    return broken(`the suite wrote no checks.json, ended with status ${code} and printed:\n${output}`);
  }
  try {
    return judge(parseChecks(json), code, excusedFor(run));
  } catch (error) {
    return broken(String(error));
  }
}

/** Reads the results: the suite creates a subdirectory of the given one. */
async function readChecks(results: string): Promise<string | undefined> {
  for await (const { name, isDirectory } of Deno.readDir(results)) {
    if (isDirectory) {
      return await Deno.readTextFile(join(results, name, "checks.json")).catch(() => undefined);
    }
  }
  return undefined;
}

function excusedFor({ scenario, target, protocolVersion }: ScenarioRun): Excused {
  const applicable = EXCEPTIONS.filter((exception) =>
    exception.scenario === scenario && exception.target === target &&
    exception.protocolVersions.includes(protocolVersion)
  );
  return new Map(applicable.map(({ check, reason }) => [check, reason]));
}

function broken(problem: string): Verdict {
  return { outcome: "FAIL", checks: 0, warnings: 0, problems: [problem], exceptions: [] };
}
