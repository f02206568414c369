/**
 * `kb-mcp key`: manages the named keys of the MCP server. A running server applies each change within a second.
 *
 * @module
 */
import { type Config, ConfigError } from "../../config/mod.ts";
import {
  hasExpired,
  hashOfKey,
  KeyName,
  MAX_KEYS,
  newSecretKey,
  type Scope,
  type StoredKey,
} from "../../keys/mod.ts";
import type { CommandContext } from "../context.ts";
import { alignColumns, formatJson } from "../format.ts";
import { expiryOption } from "./expiry.ts";
import { readKeys, updateKeyFile } from "./update_key_file.ts";

/** Options of `key add`, `key rotate` and `key change`. */
export interface KeyOptions {
  readonly scope?: Scope;
  /** A date, a duration or `never`. */
  readonly expires?: string;
}

/** Option of the commands that change the keys. */
export interface JsonFlag {
  /** Whether to print the key, without its hash, as JSON instead of the text for people. */
  readonly json?: boolean;
}

/** Dependencies of the commands. */
export interface KeyContext extends Pick<CommandContext, "print" | "printError"> {
  readonly config: Config;
  /** Current time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Adds a key and prints it. The key itself is not shown again. */
export async function addKey(
  name: string,
  options: KeyOptions & JsonFlag,
  context: KeyContext,
): Promise<void> {
  const { scope = "read", expires } = options;
  const parsed = KeyName.safeParse(name);
  if (!parsed.success) {
    throw new ConfigError(`NAME ${parsed.error.issues[0]?.message}, got ${JSON.stringify(name)}`);
  }
  const secret = newSecretKey();
  const key: StoredKey = {
    name,
    sha256: hashOfKey(secret),
    scope,
    created_at: new Date(context.now()).toISOString(),
    ...expiry(expires, context),
  };
  await updateKeyFile(keyFile(context), (keys) => {
    if (keys.some((each) => each.name === name)) {
      throw new ConfigError(`NAME must be new, and there is a key ${name}: use kb-mcp key rotate or change`);
    }
    if (keys.length >= MAX_KEYS) {
      throw new ConfigError(
        `There are ${MAX_KEYS} keys, which is the maximum: remove one with kb-mcp key remove`,
      );
    }
    return [...keys, key];
  });
  if (options.json) return context.print(keyJson(key, secret));
  context.print(`${secret}\n`);
  context.printError(`Added the key ${describe(key)}. It is not shown again`);
}

/** Replaces a key by a new one with the same name and scope, and prints it. */
export async function rotateKey(
  name: string,
  { expires, json }: KeyOptions & JsonFlag,
  context: KeyContext,
): Promise<void> {
  const secret = newSecretKey();
  const given = expires === undefined ? undefined : expiry(expires, context);
  const key = await changeKey(name, context, ({ name, scope, expires_at }) => {
    if (given === undefined && hasExpired({ expires_at }, context.now())) {
      throw new ConfigError(`--expires must be given: the key ${name} has expired on ${expires_at}`);
    }
    return {
      name,
      sha256: hashOfKey(secret),
      scope,
      created_at: new Date(context.now()).toISOString(),
      ...given ?? (expires_at === undefined ? {} : { expires_at }),
    };
  });
  if (json) return context.print(keyJson(key, secret));
  context.print(`${secret}\n`);
  context.printError(
    `Rotated the key ${describe(key)}. The old one is refused; the new one is not shown again`,
  );
}

/** Changes the scope or the expiry of a key, which itself stays the same. */
export async function changeKeyOptions(
  name: string,
  options: KeyOptions & JsonFlag,
  context: KeyContext,
): Promise<void> {
  const { scope, expires, json } = options;
  if (scope === undefined && expires === undefined) {
    throw new ConfigError("At least one of --scope and --expires must be given");
  }
  const given = expires === undefined ? undefined : expiry(expires, context);
  const key = await changeKey(name, context, ({ expires_at, ...key }) => ({
    ...key,
    ...(scope === undefined ? {} : { scope }),
    ...given ?? (expires_at === undefined ? {} : { expires_at }),
  }));
  if (json) return context.print(keyJson(key));
  context.printError(`Changed the key ${describe(key)}`);
}

/** Removes a key, which is refused from then on. */
export async function removeKey(name: string, { json }: JsonFlag, context: KeyContext): Promise<void> {
  await updateKeyFile(keyFile(context), (keys) => {
    const { name: found } = findKey(keys, name);
    return keys.filter((each) => each.name !== found);
  });
  if (json) return context.print(formatJson({ name, removed: true }));
  context.printError(`Removed the key ${name}`);
}

/** Prints the keys, which cannot be recovered from the file: names, scopes and times. */
export async function listKeys({ json }: { readonly json: boolean }, context: KeyContext): Promise<void> {
  const keys = await readKeys(keyFile(context));
  const rows = keys.map(({ name, scope, created_at, expires_at }) => ({
    name,
    scope,
    created_at,
    expires_at: expires_at ?? null,
    expired: hasExpired({ expires_at }, context.now()),
  }));
  if (json) return context.print(formatJson({ keys: rows }));
  if (rows.length === 0) return context.printError("There are no keys: kb-mcp key add NAME adds one");
  context.print(alignColumns([
    ["NAME", "SCOPE", "CREATED", "EXPIRES"],
    ...rows.map(({ name, scope, created_at, expires_at, expired }) => [
      name,
      scope,
      created_at.slice(0, 10),
      expires_at === null ? "never" : expired ? `expired ${expires_at}` : expires_at,
    ]),
  ]));
}

async function changeKey(
  name: string,
  context: KeyContext,
  change: (key: StoredKey) => StoredKey,
): Promise<StoredKey> {
  const changed: StoredKey[] = [];
  await updateKeyFile(keyFile(context), (keys) => {
    const found = findKey(keys, name);
    return keys.map((key) => {
      if (key !== found) return key;
      changed.push(change(key));
      return changed[0]!;
    });
  });
  return changed[0]!;
}

function findKey(keys: readonly StoredKey[], name: string): StoredKey {
  const found = keys.find((key) => key.name === name);
  if (found) return found;
  throw new ConfigError(`NAME must be a key of kb-mcp key list, got ${JSON.stringify(name)}`);
}

function keyFile({ config }: KeyContext): string {
  if (config.KB_MCP_KEYS !== undefined) return config.KB_MCP_KEYS;
  throw new ConfigError(
    "KB_MCP_KEYS must be set to the path of the keys file, for kb-mcp serve too, such as /var/lib/kb-mcp/keys.json",
  );
}

function expiry(text: string | undefined, { now }: KeyContext): Pick<StoredKey, "expires_at"> {
  const at = text === undefined ? undefined : expiryOption(text, now());
  return at === undefined ? {} : { expires_at: at };
}

/** Formats a key for programs. @param secret The key itself, which is not shown again. */
function keyJson({ name, scope, created_at, expires_at }: StoredKey, secret?: string): string {
  return formatJson({
    name,
    scope,
    created_at,
    expires_at: expires_at ?? null,
    ...(secret !== undefined && { key: secret }),
  });
}

function describe({ name, scope, expires_at }: StoredKey): string {
  return `${name} (scope ${scope}${expires_at === undefined ? "" : `, expires at ${expires_at}`})`;
}
