import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";

/** Maximum size of a file in bytes. */
const MAX_FILE_BYTES = 8192;

/** Address and token of the server that uses a data directory, as other programs of its user find them. */
export const LocalFile = z.object({
  /** Base URL of the engine's API. */
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  /** MCP endpoint for clients on this machine. Only of `serve`. */
  mcp: z.url({ protocol: /^http$/ }).optional().catch(undefined),
  /** Bearer token: 256 random bits. */
  token: z.string().regex(/^[\w-]{43}$/),
  /** Process id of the server. */
  pid: z.int().positive(),
  /** Version of the program. */
  version: z.string().max(100),
  /** Identifies the data directory: a copy of it has a copy of this file, and is not the one of the server. */
  directory: z.string().max(MAX_FILE_BYTES),
});
/** Inferred from {@linkcode LocalFile}. */
export type LocalFile = z.infer<typeof LocalFile>;

/** A challenge of {@linkcode proofOf}. */
export const Challenge = z.string().regex(/^[\w-]{43}$/);

/** Path of the challenge, below the URL of the endpoint. */
export const PROOF_PATH = "/local/proof";

/** Returns 256 random bits as text: a token or a challenge. */
export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Proves knowledge of the token without sending it.
 *
 * Threat: after a crash, the file names a port that any user of the machine may listen on. A client sends neither its
 * token nor a text before the server has proved that it wrote the file.
 */
export function proofOf(token: string, challenge: string): string {
  return createHmac("sha256", token).update(challenge).digest("base64url");
}

/** Returns the path of the file in a data directory. */
export function localFilePath(dataDir: string): string {
  return join(dataDir, "local.json");
}

/**
 * Writes the file, readable by its owner only. Programs see the whole file or the former one.
 *
 * @throws {Error} If the directory is not writable.
 */
export function writeLocalFile(dataDir: string, server: Omit<LocalFile, "directory">): void {
  const content: LocalFile = { ...server, directory: identifyDirectory(dataDir) };
  const path = localFilePath(dataDir);
  const temporary = `${path}.${content.pid}`;
  // A file that is left from a crash may have other permissions, and `mode` applies to new files only.
  removeFile(temporary);
  try {
    Deno.writeTextFileSync(temporary, JSON.stringify(content) + "\n", { createNew: true, mode: 0o600 });
    Deno.renameSync(temporary, path);
  } catch (error) {
    // A full disk accepts the name of a file, but not its content.
    removeFile(temporary);
    throw error;
  }
}

/** Returns the content of the file; undefined if there is none of this directory that this user can read. */
export function readLocalFile(dataDir: string): LocalFile | undefined {
  try {
    const path = localFilePath(dataDir);
    if (Deno.statSync(path).size > MAX_FILE_BYTES) return undefined;
    const { data } = LocalFile.safeParse(JSON.parse(Deno.readTextFileSync(path)));
    return data?.directory === identifyDirectory(dataDir) ? data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Identifies a directory while a program has it open: by its device and inode, which a rename and a second mount
 * keep, or by its path on systems without inodes.
 */
function identifyDirectory(dataDir: string): string {
  const { dev, ino } = Deno.statSync(dataDir);
  return ino ? `${dev}:${ino}` : Deno.realPathSync(dataDir);
}

/** Removes the file, unless another server has written it since. */
export function removeLocalFile(dataDir: string, token: string): void {
  if (readLocalFile(dataDir)?.token === token) removeFile(localFilePath(dataDir));
}

function removeFile(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It does not exist, or the directory has become read-only: a stale file is ignored.
  }
}
