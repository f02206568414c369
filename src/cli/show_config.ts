import { type GivenSetting, givenSettings, settingKey } from "../config/mod.ts";
import type { CommandContext } from "./context.ts";
import { alignColumns, formatJson } from "./format.ts";

/**
 * Returns every setting with its value and origin, as a table or as JSON. Secrets are masked.
 *
 * @throws {ConfigError} When a setting is invalid.
 */
export async function showConfig(context: CommandContext, { json }: { json: boolean }): Promise<string> {
  // Reports invalid settings, all at once.
  const { sources } = await context.config();
  const source = await context.configSource();
  for (const { name, message } of await context.warnings()) context.printError(`${name}: ${message}`);
  const settings = givenSettings(source);
  const file = source.file?.path ?? null;
  if (json) {
    const rows = settings.map(({ name, text, origin }) => ({
      name,
      key: settingKey(name),
      value: text ?? null,
      origin,
    }));
    return formatJson({ file, settings: rows, sources });
  }
  const head = file === null ? "No configuration file.\n" : `Configuration file: ${file}\n`;
  const folders = sources.map(({ name, path }) => `${name}  ${path}\n`);
  return `${head}\n${table(settings)}${folders.length > 0 ? `\nSources:\n${folders.join("")}` : ""}`;
}

function table(settings: readonly GivenSetting[]): string {
  const rows = settings.map(({ name, text, origin }) => [name, text ?? "(unset)", origin]);
  return alignColumns([["SETTING", "VALUE", "ORIGIN"], ...rows]);
}
