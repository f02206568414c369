import { systemReason } from "../text/mod.ts";

/** Maximum size of a key file in bytes. A key has at most 4000 characters. */
const MAX_FILE_BYTES = 64 * 1024;

/**
 * Reads a key file, which may also be a pipe or a device.
 *
 * @throws {Error} If it is a directory, too large or cannot be read. The message is for the operator.
 */
export function readSecretFile(path: string): string {
  const buffer = new Uint8Array(MAX_FILE_BYTES + 1);
  let size = 0;
  try {
    using file = Deno.openSync(path);
    for (let count: number | null; (count = file.readSync(buffer.subarray(size))) !== null && count > 0;) {
      size += count;
    }
  } catch (cause) {
    throw new Error(systemReason(cause), { cause });
  }
  if (size > MAX_FILE_BYTES) throw new Error(`It must be at most ${MAX_FILE_BYTES} bytes`);
  return new TextDecoder().decode(buffer.subarray(0, size));
}
