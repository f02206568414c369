import type { Command } from "commander";
import { ConfigError } from "../../config/mod.ts";
import { DEFAULT_CRAWL_PAGES, MAX_CRAWL_PAGES } from "../../contract/mod.ts";
import { integerOption } from "../option_values.ts";

/** Returns whether an argument is a URL and not a path. */
export function isUrl(argument: string): boolean {
  return /^https?:\/\//i.test(argument);
}

/** Adds the options of commands that take a URL, apart from those that folders have as well. */
export function withUrlOptions(command: Command): Command {
  return command
    .option("--crawl", "URLs: follow the sitemap, llms.txt or links below the folder of the URL")
    .option("--crawl-prefix <url>", "URLs: crawl only below this one")
    .option(
      "--max-pages <n>",
      `URLs: maximum number of pages of a crawl (default: ${DEFAULT_CRAWL_PAGES})`,
      integerOption("--max-pages", 1, MAX_CRAWL_PAGES),
    )
    .option("--version-label <text>", "URLs: version of the documentation, added as the tag version:...");
}

/**
 * Refuses options that are only for folders.
 *
 * @throws {ConfigError} If one of them is given.
 */
export function refuseForUrls<T extends object>(options: T, names: readonly (keyof T & string)[]): void {
  for (const name of names) {
    if (options[name] !== undefined) throw new ConfigError(`--${name} must not be given for a URL`);
  }
}
