import { join } from "node:path";
import { type Excused, judge, parseChecks, type Verdict } from "./judge.ts";
import { EXCEPTIONS, type Target } from "./scenarios.ts";
import { type Era, type Suite, suiteCommand } from "./suites.ts";

/** One scenario in one era, by one suite, against one server. */
export interface Play {
  readonly suite: Suite;
  readonly era: Era;
  readonly scenario: string;
  readonly target: Target;
}

/** How long a scenario may take, in milliseconds; the slowest takes five seconds on a machine that does nothing else. */
const TIME_LIMIT_MS = 60_000;

/**
 * Plays a scenario, in a process of its own, and judges what came of it. Never rejects over a suite that breaks off:
 * that is a failure like another.
 *
 * @param url The MCP endpoint.
 * @param directory Where the results may be left.
 */
export async function play(what: Play, url: string, directory: string): Promise<Verdict> {
  const results = await Deno.makeTempDir({ dir: directory });
  // The old suite takes the option for a filter of lists, and speaks the newest revision that it knows.
  const words = [
    "server",
    "--url",
    url,
    "--scenario",
    what.scenario,
    "--spec-version",
    what.era,
    "-o",
    results,
  ];
  const [program = "", ...args] = suiteCommand(what.suite, ...words);
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
  if (signal !== null) return broken(`it did not end in ${TIME_LIMIT_MS / 1000} s (${signal})`);
  const json = await readChecks(results);
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (json === undefined) {
    return broken(`the suite wrote no checks.json, ended with status ${code} and said:\n${said}`);
  }
  try {
    return judge(parseChecks(json), code, excusedFor(what));
  } catch (error) {
    return broken(String(error));
  }
}

/** The suite makes a folder of its own below the one that it is given. */
async function readChecks(results: string): Promise<string | undefined> {
  for await (const { name, isDirectory } of Deno.readDir(results)) {
    if (isDirectory) {
      return await Deno.readTextFile(join(results, name, "checks.json")).catch(() => undefined);
    }
  }
  return undefined;
}

function excusedFor({ scenario, target, era }: Play): Excused {
  const mine = EXCEPTIONS.filter((exception) =>
    exception.scenario === scenario && exception.target === target && exception.eras.includes(era)
  );
  return new Map(mine.map(({ check, reason }) => [check, reason]));
}

function broken(problem: string): Verdict {
  return { outcome: "FAIL", checks: 0, warnings: 0, problems: [problem], exceptions: [] };
}
