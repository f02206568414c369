/**
 * `deno task shells`: loads the completions in real shells and completes commands, options and values. Needs bash, zsh
 * and fish; one that is not installed fails.
 *
 * @module
 */
import { createContext } from "../../src/cli/context.ts";
import { completionScript, type Shell, SHELLS } from "../../src/cli/completion.ts";
import { createProgram } from "../../src/cli/program.ts";
import { print } from "../../scripts/print.ts";

/** Command lines, and what completes their last word. */
const CASES: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
  [["sea"], ["search"]],
  [["model", "ins"], ["install"]],
  [["model", "install", "--na"], ["--name"]],
  [["search", "--mod"], ["--mode"]],
  [["search", "--mode", ""], ["fts", "hybrid", "vector"]],
  [["serve", "--log-level", "w"], ["warn"]],
];

/** Commands that print the candidates of a command line, one a line. */
const COMPLETE: Readonly<Record<Shell, (script: string, words: readonly string[]) => readonly string[]>> = {
  bash: (script, words) => [
    "--norc",
    "-c",
    `${script}\nCOMP_WORDS=(kb-mcp "$@"); COMP_CWORD=$#; _kb_mcp; printf '%s\\n' "\${COMPREPLY[@]}"`,
    "bash",
    ...words,
  ],
  // Without a terminal: the functions of zsh that show candidates print them.
  zsh: (script, words) => [
    "-f",
    "-c",
    `autoload -Uz compinit && compinit -D -u\n${script}
compadd() { shift; print -l -- "$@" }
_describe() { print -l -- "\${(@)\${(@P)2}%%:*}" }
_files() {}
words=(kb-mcp "$@"); CURRENT=$#words; _kb_mcp`,
    "zsh",
    ...words,
  ],
  fish: (
    script,
    words,
  ) => ["--no-config", "-c", `${script}\ncomplete -C '${["kb-mcp", ...words].join(" ")}'`],
};

let [passed, failed] = [0, 0];
const program = createProgram(createContext());
for (const shell of SHELLS) {
  const script = completionScript(program, shell);
  for (const [words, expected] of CASES) {
    const problem = await check(shell, script, words, expected);
    if (problem === undefined) passed++;
    else {
      failed++;
      print(`${shell}: kb-mcp ${words.join(" ")}: ${problem}`);
    }
  }
}
print(`${passed} passed, ${failed} failed`);
Deno.exitCode = failed > 0 ? 1 : 0;

async function check(
  shell: Shell,
  script: string,
  words: readonly string[],
  expected: readonly string[],
): Promise<string | undefined> {
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(shell, { args: [...COMPLETE[shell](script, words)] }).output();
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? `${shell} is not installed` : String(error);
  }
  const stderr = new TextDecoder().decode(output.stderr).trim();
  if (stderr !== "") return stderr;
  const prefix = words.at(-1)!;
  // zsh itself drops candidates with another prefix; fish adds descriptions after a tab.
  const candidates = new TextDecoder().decode(output.stdout).split("\n").map((line) => line.split("\t")[0]!)
    .filter((word) => word !== "" && word.startsWith(prefix)).sort();
  return candidates.join() === expected.join() ? undefined : `expected ${expected}, got ${candidates}`;
}
