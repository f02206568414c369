import { CollectionError, type Collections } from "../collections/mod.ts";
import { quoteText } from "../text/mod.ts";
import { type PromptDescription, PromptError } from "./define.ts";

/** Maximum length of an argument: the contract's maximum query. */
const MAX_CHARS = 10_000;

/**
 * Validates and trims the arguments of a prompt. A blank one counts as omitted, because forms send empty text
 * for fields that were not filled in.
 *
 * @throws {PromptError} For an unknown argument, a missing required one, or a value that is too long.
 */
export function checkArguments(
  { name, arguments: known }: PromptDescription,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string | undefined>> {
  const names = known.map((argument) => argument.name);
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  if (unknown !== undefined) {
    throw new PromptError(
      `Prompt ${name} has no argument ${quoteText(unknown)}. It takes: ${names.join(", ")}.`,
    );
  }
  const checked: Record<string, string> = {};
  for (const { name: key, required, description } of known) {
    const value = Object.hasOwn(given, key) ? given[key]! : "";
    if (value.length > MAX_CHARS) {
      throw new PromptError(
        `Argument ${key} of prompt ${name} must have at most ${MAX_CHARS} characters, got ${value.length}. Shorten it, ` +
          `or add a longer text as a file with kb_upload_start.`,
      );
    }
    if (value.trim() !== "") checked[key] = value.trim().toWellFormed();
    else if (required) throw new PromptError(`Prompt ${name} needs the argument ${key}: ${description}`);
  }
  return checked;
}

/**
 * Validates the name of a collection.
 *
 * @throws {PromptError} For an unknown one, with the list of known ones.
 */
export function checkCollection(name: string, collections: Collections): string {
  try {
    return collections.check(name);
  } catch (error) {
    if (error instanceof CollectionError) throw new PromptError(error.message);
    throw error;
  }
}
