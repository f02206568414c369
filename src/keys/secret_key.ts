import { hash, randomBytes } from "node:crypto";

/** Start of every key, by which scanners of secrets find one in a repository. */
const PREFIX = "kbm_";

/** Returns a new key: 256 random bits. */
export function newSecretKey(): string {
  return PREFIX + randomBytes(32).toString("hex");
}

/** Returns the SHA-256 of a key in hexadecimal, which the keys file has. */
export function hashOfKey(key: string): string {
  return hash("sha256", key, "hex");
}
