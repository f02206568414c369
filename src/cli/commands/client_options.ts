import { type Command, Option } from "commander";
import { MAX_PAGE } from "../../contract/mod.ts";
import type { OutputFlags } from "../client/run_client.ts";
import { type HelpSections, helpSections } from "../help_text.ts";
import { integerOption } from "../option_values.ts";

export type { OutputFlags };

/** Appends the words of an option that is given several times, or has several words separated by commas. */
export function words(text: string, previous: readonly string[] = []): string[] {
  return [...previous, ...text.split(",").map((word) => word.trim()).filter((word) => word !== "")];
}

/** Appends the value of an option that is given several times. */
export function values(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}

/** Adds the options that choose between text and JSON. */
export function withJson(command: Command): Command {
  return command
    .option("--json", "print JSON (default: unless standard output is a terminal)")
    .option("--no-json", "print text for people, also into a pipe");
}

/** Option of commands that do something once, and print text by default, also into a pipe. */
export const jsonReport = ["--json", "print the result as JSON"] as const;

/** Adds the options of every command that uses an engine, and its examples and exit statuses. */
export function withOutput(command: Command, { examples, exitStatus = {} }: HelpSections): Command {
  return withJson(command)
    .option("--no-color", "print without colours, as NO_COLOR does")
    .addHelpText(
      "after",
      helpSections({
        examples,
        exitStatus: {
          1: "the engine reports an error, such as a document that does not exist",
          65: "stored data is damaged or missing",
          69: "the engine cannot be reached, refuses the key or is too old",
          ...exitStatus,
        },
      }),
    );
}

/** Options that select documents, shared by the commands that take all or some of them. */
export const filterOptions = {
  collection: ["-c, --collection <name>", "only in this collection; several: any of them", words],
  tags: ["-t, --tags <tags>", "only with all of these tags, separated by commas", words],
  type: ["--type <type>", "only of this type, such as note, pdf or email: `list --group-by kind` names them"],
  since: ["--since <time>", "changed or added since: 2026-03-31, 2026-03-31T09:00:00Z, 7d, 2w, yesterday"],
  until: ["--until <time>", "changed or added until then"],
} as const;

/** Option of the commands that print pages. */
const CURSOR = ["--cursor <cursor>", "continue a list: the cursor that it ended with"] as const;

/** Adds the options that select documents. */
export function withFilters(command: Command): Command {
  return command
    .option(...filterOptions.collection)
    .option(...filterOptions.tags)
    .option("--tags-any <tags>", "only with at least one of these tags", words)
    .option("--tags-none <tags>", "only without these tags", words)
    .option(...filterOptions.type)
    .option("--language <code>", "only in this language, an ISO 639-1 code such as de")
    .option("--path <prefix>", "only with a path that starts with this")
    .option("--metadata <field=value>", "only with this field in the front matter; may be repeated", values)
    .option(...filterOptions.since)
    .option(...filterOptions.until)
    .option(...CURSOR);
}

/** Adds the options of a list. @param noun Plural of the rows. */
export function withPage(command: Command, noun = "rows"): Command {
  return command
    .option(
      "-n, --limit <n>",
      `maximum number of ${noun} (default: 20)`,
      integerOption("--limit", 1, MAX_PAGE),
    )
    .option(...CURSOR);
}

/** Option of the commands that ask before they delete. */
export const yes = ["-y, --yes", "do not ask"] as const;

/** Option of the commands that change documents: nothing is changed if another program was faster. */
export const ifVersion = [
  "--if-version <n>",
  "fail unless this is the version of the document",
  integerOption("--if-version", 1),
] as const;

/** Returns an option with a fixed set of values. */
export function choice(flags: string, description: string, names: readonly string[]): Option {
  return new Option(flags, description).choices(names);
}
