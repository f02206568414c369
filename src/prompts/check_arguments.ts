import { CollectionError, type Collections } from "../collections/mod.ts";
import { type PromptDescription, PromptError } from "./define.ts";
import type { PromptArguments } from "./prompt.ts";
import { quoted } from "./quoted.ts";

/** Longest argument: the contract's longest query. */
const MAX_CHARS = 10_000;

/**
 * Holds arguments to what a prompt takes. One that is blank counts as left out, since forms send what was not filled in
 * as an empty text.
 *
 * @throws {PromptError} For a name that the prompt does not know, a required argument that is missing, a value that is
 * too long.
 */
export function checkArguments(
  { name, arguments: known }: PromptDescription,
  given: Readonly<Record<string, string>>,
): PromptArguments {
  const names = known.map((argument) => argument.name);
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  if (unknown !== undefined) {
    throw new PromptError(
      `Prompt ${name} has no argument ${quoted(unknown)}. It takes: ${names.join(", ")}.`,
    );
  }
  const checked: Record<string, string> = {};
  for (const { name: key, required, description } of known) {
    const value = Object.hasOwn(given, key) ? given[key]! : "";
    if (value.length > MAX_CHARS) {
      throw new PromptError(
        `Argument ${key} of prompt ${name} must have at most ${MAX_CHARS} characters, got ${value.length}. Shorten it; ` +
          `a longer text can be added as a file with kb_upload_start.`,
      );
    }
    if (value.trim() !== "") checked[key] = value.trim().toWellFormed();
    else if (required) {
      throw new PromptError(`Prompt ${name} needs the argument ${key}: ${description}`);
    }
  }
  return checked;
}

/**
 * A collection that an argument names.
 *
 * @throws {PromptError} For an unknown one, with all that are known.
 */
export function checkCollection(name: string, collections: Collections): string {
  try {
    return collections.check(name);
  } catch (error) {
    if (error instanceof CollectionError) throw new PromptError(error.message);
    throw error;
  }
}
