/**
 * `deno task wording [FOLDER]…`: counts wording that reads as translated, by folder, and lists the matches of the named
 * folders. A hint for writers, not a gate: some matches are fine.
 *
 * @module
 */
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** Wording to reconsider, with the usual replacement. */
export const PATTERNS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b[Ww]hat (?:is|was|are|were|it|they|the|a|an|has|can|goes|comes) /, "name the thing"],
  [/\b[Ww]hoever\b|\bthat which\b/, "name the person or part"],
  [/\banew\b/, "again, rebuild, re-embed"],
  [/\b(?:is|are|was|were) told\b|\btold (?:by|of|that)\b|\btells (?!apart)/, "report, notify, return"],
  [/\b(?:go|goes|went|going) on\b/, "continue, resume"],
  [/(?:\/\*\* |\| |")(?:Most|Least) (?!of\b)\w/, "maximum, minimum"],
  [/\broom\b/, "capacity, budget"],
  [/\bstands?\b(?! for| in for|-in)/, "is, appears"],
  [/\bbeside\b/, "in addition to, next to"],
  [/\belsewhere\b/, "third-party, another place"],
  [/\bworth\b/, "score"],
  [/\bso many\b/, "limit"],
  [/\b(?:is|are|has|that is) none\b|\bno more than\b/, "say it positively"],
  [/\blook(?:s|ed|ing)? (?:at|through)\b/, "inspect, scan"],
  [/\blets? (?:through|go of)\b|\bgives? back\b/, "accept, release, return"],
  [/\bbrings? up to date\b|\bset aside\b|\bput aside\b/, "migrate, quarantine"],
  [/\bsaid\b/, "reported"],
];

/** Extensions of files with prose. */
const PROSE = /\.(?:ts|md|yml|yaml|json|sh|py|sql)$|(?:^|\/)(?:Dockerfile|run)$/;

/** Returns the patterns that a line matches, with their replacements. */
export function suggestions(line: string): string[] {
  return PATTERNS.flatMap(([pattern, instead]) => {
    const found = pattern.exec(line)?.[0].trim();
    return found === undefined ? [] : [`"${found}" → ${instead}`];
  });
}

/** The folder that a file is counted under: at most three levels. */
function folderOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, 3).join("/") || ".";
}

async function main(listed: readonly string[]): Promise<void> {
  const { output } = await runCommand(["git", "ls-files"]);
  const counts = new Map<string, number>();
  for (const path of output.split("\n")) {
    if (!PROSE.test(path) || path === "scripts/wording.ts" || path.startsWith("deno.lock")) continue;
    const isListed = listed.some((folder) => path.startsWith(folder));
    for (const [index, line] of (await Deno.readTextFile(path)).split("\n").entries()) {
      const found = suggestions(line);
      if (found.length === 0) continue;
      counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + found.length);
      if (isListed) print(`${path}:${index + 1}: ${found.join(", ")}\n    ${line.trim()}`);
    }
  }
  const rows = [...counts].toSorted(([, a], [, b]) => b - a);
  for (const [folder, count] of rows) print(`${String(count).padStart(6)}  ${folder}`);
  print(`${String(rows.reduce((sum, [, count]) => sum + count, 0)).padStart(6)}  in all`);
}

if (import.meta.main) await main(Deno.args);
