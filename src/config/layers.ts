import { settingKey } from "./keys.ts";
import type { SettingName } from "./settings.ts";
import { ConfigError } from "./config_error.ts";
import type { ConfigSource, Layer, Origin } from "./source.ts";

/** A value and its origin. */
export interface LayeredValue {
  readonly text: string;
  readonly origin: Exclude<Origin, "default">;
  /** Name of the setting as the operator wrote it, for messages. */
  readonly label: string;
}

/** The part of a source that contains values. */
export type LayerSource = Pick<ConfigSource, "env" | "flags" | "file">;

/** Returns the layers of a source, highest precedence first. */
export function layersOf({ env, flags, file }: LayerSource): Layer[] {
  return [
    ...(flags ? [flags] : []),
    { origin: "environment", get: env, label: (variable) => variable },
    ...(file ? [file.layer] : []),
  ];
}

/**
 * Returns the text of a setting from the layer with the highest precedence that has it.
 *
 * @param options.verbatim Whether surrounding white space belongs to the value.
 * @throws {ConfigError} When a flag or a key of the file is empty.
 */
export function findText(
  name: SettingName,
  source: LayerSource,
  { verbatim = false }: { verbatim?: boolean | undefined },
): LayeredValue | undefined {
  for (const { origin, get, label } of layersOf(source)) {
    const given = get(name);
    const text = verbatim ? given : given?.trim();
    if (text) return { text, origin, label: label(name) };
    // Compose files pass an empty variable for a value that is not given.
    if (text === "" && origin !== "environment") {
      throw new ConfigError(`${label(name)} must not be empty: remove it to use the default`);
    }
  }
  return undefined;
}

/** Returns the layer of the flags of a command line. @param flags Texts and flags by variable. */
export function flagLayer(
  flags: ReadonlyMap<string, { readonly flag: string; readonly text: string }>,
): Layer {
  return {
    origin: "flag",
    get: (variable) => flags.get(variable)?.text,
    label: (variable) => flags.get(variable)?.flag ?? `--${settingKey(variable).replaceAll("_", "-")}`,
  };
}
