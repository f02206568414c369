import { createHash } from "node:crypto";

/** A new capability: 256 random bits, as text that is safe in a URL. */
export function newCapability(): string {
  return crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * What is kept of a capability, and what it is looked up by. How long looking up takes tells at most something about
 * the hash, which nobody can aim at a capability; and what is kept opens nothing.
 */
export function hashCapability(capability: string): string {
  return createHash("sha256").update(capability).digest("hex");
}
