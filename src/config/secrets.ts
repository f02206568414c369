/*
 * Threat: a server that an operator believes to be protected is open. A variable that expands to nothing
 * (`KB_MCP_API_KEY="$(cat missing)"`, `${KEY:-}` in a compose file) must not turn authentication off, so that a
 * secret that is set but empty is an error. Only a variable that is not set at all means "no authentication".
 */
import { ConfigError } from "./config_error.ts";
import { layersOf, type LayerSource } from "./layers.ts";
import { SETTINGS } from "./settings.ts";
import type { ConfigSource, Layer } from "./source.ts";

/** A secret and where it was set. */
interface Secret {
  readonly value: string;
  readonly origin: Layer["origin"];
  /** Name of the setting as the operator wrote it, for messages: `NAME`, `NAME_FILE`, `--key-file`. */
  readonly label: string;
}

/** A key that works but is weakly protected. */
export interface SecretWarning {
  /** Variable that the key was set with. */
  readonly variable: string;
  /** What is wrong and what to do. Does not contain the key. */
  readonly message: string;
}

/** Permission bits and owner of a file. */
export type FileOwner = Pick<Deno.FileInfo, "mode" | "uid">;

/** Minimum length of a key that is not warned about, in characters. */
const MIN_KEY_CHARS = 16;
/** Keys that other programs present to this one. The key of an embeddings API is chosen by its provider. */
const OWN_KEYS = ["KB_MCP_API_KEY", "KB_API_KEY"] as const;
/**
 * Directories that only the service can enter. The modes of the files, which the container runtime and systemd
 * choose, do not matter there.
 */
const PRIVATE_DIRECTORIES = ["/run/secrets/", "/var/run/secrets/", "/run/credentials/"];

/**
 * Reads a secret from `NAME` or from the file that `NAME_FILE` names, without surrounding white space, from the layer
 * with the highest precedence that has one of them.
 *
 * @returns undefined if neither variable is set.
 * @throws {ConfigError} If the secret is empty, set twice or in a file that cannot be read.
 */
export function readSecret(name: string, source: ConfigSource): Secret | undefined {
  for (const layer of layersOf(source)) {
    const secret = readFrom(layer, name, source);
    if (secret) return secret;
  }
  return undefined;
}

function readFrom({ get, label, origin }: Layer, name: string, source: ConfigSource): Secret | undefined {
  const [own, ownFile] = [label(name), label(`${name}_FILE`)];
  const value = get(name)?.trim();
  const path = get(`${name}_FILE`)?.trim();
  if (value === "") {
    throw new ConfigError(
      `${own} must not be empty: set it to the key, or unset it to run without authentication`,
    );
  }
  if (path === undefined) return value === undefined ? undefined : { value, origin, label: own };
  if (path === "") throw new ConfigError(`${ownFile} must not be empty: set it to a path, or unset it`);
  if (value !== undefined) {
    throw new ConfigError(`${own} and ${ownFile} must not both be set: remove one of them`);
  }
  let content: string;
  try {
    content = source.readFile(path).trim();
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    throw new ConfigError(`${ownFile} must name a readable file, got ${JSON.stringify(path)}${reason}`, {
      cause,
    });
  }
  if (content === "") {
    throw new ConfigError(
      `${ownFile} must name a file that contains the key, but ${JSON.stringify(path)} is empty`,
    );
  }
  return { value: content, origin, label: ownFile };
}

/** Returns the path of the file that a secret is read from; undefined: it is unset, or not in a file. */
export function secretFile(name: string, source: LayerSource): string | undefined {
  return layerOf(name, source)?.get(`${name}_FILE`)?.trim();
}

/** Returns the layer that a secret is read from; undefined: it is not set. */
function layerOf(name: string, source: LayerSource): Layer | undefined {
  return layersOf(source).find(({ get }) => get(name) !== undefined || get(`${name}_FILE`) !== undefined);
}

/**
 * Returns warnings about keys that are easy to guess, and about key files that other users can read.
 *
 * @param stat Returns the permissions of a file.
 *
 * @example
 * ```ts
 * import { loadConfig, secretWarnings } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const env: Record<string, string> = { KB_MCP_API_KEY: "hunter2" };
 * const source = { env: (name: string) => env[name], readFile: () => "" };
 * const warnings = secretWarnings(loadConfig(source), source, () => ({ mode: null, uid: null }));
 * assertEquals(warnings.map(({ variable }) => variable), ["KB_MCP_API_KEY"]);
 * ```
 */
export function secretWarnings(
  config: { readonly [Name in typeof OWN_KEYS[number]]: string | undefined },
  source: LayerSource,
  stat: (path: string) => FileOwner,
): SecretWarning[] {
  const warnings: SecretWarning[] = [];
  for (const name of OWN_KEYS) {
    const key = config[name];
    if (key === undefined || key.length >= MIN_KEY_CHARS) continue;
    const layer = layerOf(name, source);
    const variable = layer?.get(`${name}_FILE`) === undefined ? name : `${name}_FILE`;
    const message =
      `the key is easy to guess: use at least ${MIN_KEY_CHARS} random characters, such as the output of openssl rand -hex 32`;
    warnings.push({ variable: layer?.label(variable) ?? variable, message });
  }
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const layer = layerOf(name, source);
    const path = layer?.get(`${name}_FILE`)?.trim();
    if (!("secret" in setting) || !path || !isReadableByOthers(path, stat)) continue;
    const message = `other users can read the key file: run chmod 600 ${JSON.stringify(path)}`;
    warnings.push({ variable: layer?.label(`${name}_FILE`) ?? name, message });
  }
  return warnings;
}

/**
 * Returns whether users besides the owner may read a file with a secret.
 *
 * @param stat Returns the permissions of a file.
 */
export function isReadableByOthers(path: string, stat: (path: string) => FileOwner): boolean {
  if (PRIVATE_DIRECTORIES.some((directory) => path.startsWith(directory))) return false;
  const { mode, uid } = stat(path);
  // A file of root may be readable by the group of the service, which cannot change it then. PostgreSQL has the
  // same rule for its private key.
  const forbidden = uid === 0 ? 0o037 : 0o077;
  return mode !== null && (mode & forbidden) !== 0;
}
