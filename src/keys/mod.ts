/**
 * Named keys of the MCP server: their scopes, the file that holds their hashes, and the keys in use.
 *
 * @module
 */
export {
  DEFAULT_KEY_NAME,
  formatKeyFile,
  hasExpired,
  type KeyFileContent,
  KeyFileError,
  KeyName,
  MAX_KEY_FILE_BYTES,
  MAX_KEYS,
  parseKeyFile,
  readKeyFile,
  type StoredKey,
} from "./key_file.ts";
export { type KeyCheck, type KeyHolder, KeyRing, type KeyRingOptions, type KeySource } from "./key_ring.ts";
export { includesScope, type Scope, SCOPES } from "./scope.ts";
export { hashOfKey, newSecretKey } from "./secret_key.ts";
