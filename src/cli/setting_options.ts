import { type Command, Option } from "commander";
import {
  describeSettings,
  flagLayer,
  type Layer,
  type Role,
  type Setting,
  settingFlag,
  type SettingName,
  SETTINGS,
  valueChoices,
  valueKind,
} from "../config/mod.ts";

/** Heading of the flags in `--help`. */
const HELP_GROUP = "Settings [environment variable, default]:";

/** Settings of the embedding model. */
export const EMBEDDING_SETTINGS: readonly SettingName[] = (Object.keys(SETTINGS) as SettingName[])
  .filter((name) => name.startsWith("KB_EMBEDDINGS_") || name === "KB_MODEL_DOWNLOAD");

/** A flag that sets a setting. */
export class SettingOption extends Option {
  /** Variable that it takes the place of: the name of a setting, with `_FILE` for a secret. */
  readonly variable: string;
  /** Words that it can have; undefined: it is not one of a list. */
  readonly values: readonly string[] | undefined;

  /** @param command Name of the command, which decides the flag. */
  constructor(name: SettingName, command: string) {
    const { schema, secret, path, default: value }: Setting = SETTINGS[name];
    // Other users of the machine can see command lines: a secret is given as a file only.
    const variable = secret ? `${name}_FILE` : name;
    const choices = valueChoices(schema);
    const placeholder = secret ? "file" : path ? "path" : choices?.join("|") ?? valueKind(schema);
    const text = `${schema.description}${secret ? " The file contains the value." : ""} [${variable}${
      value === undefined ? "" : `, ${value}`
    }]`;
    super(`${settingFlag(variable, command)} <${placeholder}>`, text);
    this.variable = variable;
    this.values = choices;
  }
}

/** Adds a flag for each setting. @param settings Names, or the role whose settings are taken. */
export function addSettings(command: Command, settings: Role | readonly SettingName[]): Command {
  const names = typeof settings === "string" ? describeSettings(settings).map(({ name }) => name) : settings;
  for (const name of names) {
    // --config is an option of the program.
    if (name === "KB_MCP_CONFIG") continue;
    command.addOption(new SettingOption(name, command.name()).helpGroup(HELP_GROUP));
  }
  return command;
}

/** Whether a command has flags for settings. */
export function hasSettings({ options }: Command): boolean {
  return options.some((option) => option instanceof SettingOption);
}

/** Returns the settings that are flags of the command line. */
export function givenFlags(command: Command): Layer {
  const flags = new Map<string, { flag: string; text: string }>();
  for (let each: Command | null = command; each; each = each.parent) {
    for (const option of each.options) {
      const text = option instanceof SettingOption ? each.getOptionValue(option.attributeName()) : undefined;
      if (text !== undefined) flags.set((option as SettingOption).variable, { flag: option.long!, text });
    }
  }
  return flagLayer(flags);
}
