/*
 * The keys file holds hashes of keys, not keys: they have 256 random bits, so that a hash without salt and stretching
 * cannot be reversed. A user who can write the file can add a key, so that it belongs to the service alone.
 */
import * as z from "zod";
import { systemReason } from "../text/mod.ts";
import { SCOPES } from "./scope.ts";

/** Maximum number of keys: a request is compared with each. */
export const MAX_KEYS = 256;
/** Maximum length of the name of a key, in characters. */
export const MAX_NAME_CHARS = 40;
/** Maximum size of a keys file, in bytes. */
export const MAX_KEY_FILE_BYTES = 1024 * 1024;

/** Name of the caller with `KB_MCP_API_KEY`, which no key of the file can have. */
export const DEFAULT_KEY_NAME = "default";

/** Name of a key. It has no space and no parenthesis, so that nobody can imitate it: see the author of a change. */
export const KeyName = z.string().regex(
  /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/,
  `must be 1–${MAX_NAME_CHARS} lower-case letters, digits, '-', '_' and '.', with a letter or digit at both ends`,
).refine((name) => name !== DEFAULT_KEY_NAME, `must not be ${DEFAULT_KEY_NAME}, which names KB_MCP_API_KEY`);

/** A key as the file has it. */
export const StoredKey = z.strictObject({
  name: KeyName,
  /** SHA-256 of the key, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
  scope: z.enum(SCOPES),
  created_at: z.iso.datetime(),
  /** Time from which the key is refused. */
  expires_at: z.iso.datetime().optional(),
});
/** Inferred from {@linkcode StoredKey}. */
export type StoredKey = z.infer<typeof StoredKey>;

/** Strict: a field that this version does not know may restrict a key. */
const KeyFile = z.strictObject({ version: z.literal(1), keys: z.array(StoredKey).max(MAX_KEYS) });

/** A keys file cannot be used. The message is for the operator. */
export class KeyFileError extends Error {
  override name = "KeyFileError";
}

/** Content of a keys file. */
export interface KeyFileContent {
  /** Changes with the file, see {@linkcode identifyKeyFile}. */
  readonly identity: string;
  readonly keys: readonly StoredKey[];
}

/** Identity of a file that does not exist. */
const MISSING = "missing";

/** Returns a text that changes with the file: its device, inode, size and times. */
export async function identifyKeyFile(path: string): Promise<string> {
  try {
    return identityOf(await Deno.stat(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return MISSING;
    throw new KeyFileError(systemReason(error), { cause: error });
  }
}

/**
 * Reads a keys file. One that does not exist has no keys.
 *
 * @throws {KeyFileError} If it cannot be read, is too large or is damaged.
 */
export async function readKeyFile(path: string): Promise<KeyFileContent> {
  try {
    // Opening a pipe would wait for its writer.
    if (!(await Deno.stat(path)).isFile) throw new KeyFileError("It must be a file");
    using file = await Deno.open(path);
    const identity = identityOf(await file.stat());
    return { identity, keys: parseKeyFile(await readText(file)) };
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    if (error instanceof Deno.errors.NotFound) return { identity: MISSING, keys: [] };
    throw new KeyFileError(systemReason(error), { cause: error });
  }
}

/**
 * Parses the content of a keys file.
 *
 * @throws {KeyFileError} If the text is not the content of a keys file. The message does not quote it.
 */
export function parseKeyFile(text: string): readonly StoredKey[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // No cause: the parser quotes the text, which may be a key in a file that is no keys file.
    throw new KeyFileError("It must be JSON");
  }
  const { data, error } = KeyFile.safeParse(value);
  if (!data) {
    const issue = error.issues[0];
    throw new KeyFileError(`Its field "${issue?.path.join(".") ?? ""}" is invalid: ${issue?.message}`);
  }
  for (const field of ["name", "sha256"] as const) {
    const values = data.keys.map((key) => key[field]);
    const repeated = data.keys.find((key, at) => values.indexOf(key[field]) !== at);
    if (repeated) throw new KeyFileError(`The ${field} of the key ${repeated.name} must not be repeated`);
  }
  return data.keys;
}

/** Returns the content of a file with these keys. */
export function formatKeyFile(keys: readonly StoredKey[]): string {
  return `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
}

/** Whether a key is refused because of its age. @param now Milliseconds since 1970. */
export function hasExpired({ expires_at }: Pick<StoredKey, "expires_at">, now: number): boolean {
  return expires_at !== undefined && Date.parse(expires_at) <= now;
}

function identityOf({ dev, ino, size, mtime, ctime }: Deno.FileInfo): string {
  return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
}

async function readText(file: Deno.FsFile): Promise<string> {
  const buffer = new Uint8Array(MAX_KEY_FILE_BYTES + 1);
  let size = 0;
  for (let count: number | null; (count = await file.read(buffer.subarray(size))) !== null && count > 0;) {
    size += count;
  }
  if (size > MAX_KEY_FILE_BYTES) throw new KeyFileError(`It must be at most ${MAX_KEY_FILE_BYTES} bytes`);
  return new TextDecoder().decode(buffer.subarray(0, size));
}
