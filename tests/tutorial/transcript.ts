/** A command of a tutorial, and the output that its reader sees. */
export interface Step {
  /** Line of the command in the document, from 1. */
  readonly line: number;
  /** Shell command; lines after a backslash belong to it. */
  readonly command: string;
  /** Expected output. `…` matches any text within a line, and a line with only `…` any lines. */
  readonly output: string;
}

/**
 * Returns the commands of the `console` blocks of a Markdown document: lines after `$ `, each followed by its
 * output.
 *
 * @example
 * ```ts
 * import { parseTranscript } from "./transcript.ts";
 * import { assertEquals } from "@std/assert";
 * const fence = "`".repeat(3);
 * const markdown = `${fence}console\n$ echo 1 \\\n    2\n1 2\n$ true\n${fence}\n`;
 * assertEquals(parseTranscript(markdown), [
 *   { line: 2, command: "echo 1 \\\n    2", output: "1 2" },
 *   { line: 5, command: "true", output: "" },
 * ]);
 * ```
 */
export function parseTranscript(markdown: string): Step[] {
  const steps: { line: number; command: string; output: string[] }[] = [];
  let isInside = false;
  for (const [index, text] of markdown.split("\n").entries()) {
    if (text.startsWith("```")) {
      isInside = text === "```console";
      continue;
    }
    if (!isInside) continue;
    const last = steps.at(-1);
    if (text.startsWith("$ ")) steps.push({ line: index + 1, command: text.slice(2), output: [] });
    else if (last && last.output.length === 0 && last.command.endsWith("\\")) last.command += `\n${text}`;
    else last?.output.push(text);
  }
  return steps.map(({ line, command, output }) => ({ line, command, output: output.join("\n").trimEnd() }));
}

/**
 * Returns whether an output is the expected one. White space at the ends of lines, and the amount of it between words,
 * do not count: the columns of a table depend on the longest value.
 *
 * @example
 * ```ts
 * import { matchesOutput } from "./transcript.ts";
 * import { assert } from "@std/assert";
 * assert(matchesOutput("…\n4  Kettle   3 chunks", "Results:\n1 a\n4 Kettle 12 chunks") === false);
 * assert(matchesOutput("…\n4  Kettle   … chunks", "Results:\n1 a\n4 Kettle 12 chunks"));
 * ```
 */
export function matchesOutput(expected: string, actual: string): boolean {
  const lines = expected.split("\n").map((line) =>
    line.trim() === "…"
      ? "(?:.*\n)*?"
      : `${
        line.trim().split("…").map((text) => RegExp.escape(text).replace(/(?:\\x20|\s)+/g, "\\s+")).join(".*")
      }\\s*\n`
  );
  const text = actual.split("\n").map((line) => line.trim()).join("\n");
  return new RegExp(`^${lines.join("")}$`).test(
    expected === "" && text === "" ? "\n" : `${text.trimEnd()}\n`,
  );
}
