import { ConfigError } from "../config/mod.ts";

/** Default maximum of {@linkcode integerOption}: nine digits. */
const MAX_INTEGER = 999_999_999;

/**
 * Returns a parser of an option that is a whole number.
 *
 * @param name Option, for the error message.
 *
 * @example
 * ```ts
 * import { integerOption } from "./option_values.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(integerOption("--limit", 1, 50)("20"), 20);
 * ```
 */
export function integerOption(name: string, min: number, max = MAX_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new ConfigError(
      `${name} must be a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`,
    );
  };
}

/**
 * Returns a parser of an option that is a list of words, separated by commas.
 *
 * @param name Option, for the error message.
 *
 * @example
 * ```ts
 * import { listOption } from "./option_values.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(listOption("--mode", ["fts", "hybrid"])("hybrid, fts"), ["hybrid", "fts"]);
 * ```
 */
export function listOption<T extends string>(name: string, choices: readonly T[]): (text: string) => T[] {
  return (text) => {
    const words = new Set(text.split(",").map((word) => word.trim()));
    return [...words].map((word) => {
      const choice = choices.find((each) => each === word);
      if (choice) return choice;
      throw new ConfigError(
        `${name} must be one or more of ${choices.join(", ")}, separated by commas, got ${
          JSON.stringify(text)
        }`,
      );
    });
  };
}

/**
 * Returns a parser of an option that is a number from 0 to 1.
 *
 * @param name Option, for the error message.
 *
 * @example
 * ```ts
 * import { shareOption } from "./option_values.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(shareOption("--recency")("0.5"), 0.5);
 * ```
 */
export function shareOption(name: string): (text: string) => number {
  return (text) => {
    const value = /^\d?(?:\.\d{1,9})?$/.test(text) && text !== "" ? Number(text) : NaN;
    if (value >= 0 && value <= 1) return value;
    throw new ConfigError(`${name} must be a number from 0 to 1, got ${JSON.stringify(text)}`);
  };
}
