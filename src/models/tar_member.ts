/** Size of a block of a tar archive, in bytes. */
const BLOCK_BYTES = 512;

/** A member of a tar archive. */
export interface TarMember {
  /** The match of the member's name. */
  readonly match: RegExpExecArray;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Returns the first member of a tar archive (POSIX.1-1988 ustar) whose name matches.
 *
 * @param archive Already unpacked from gzip.
 */
export function readTarMember(archive: Uint8Array<ArrayBuffer>, name: RegExp): TarMember | undefined {
  const text = (start: number, length: number) =>
    new TextDecoder("latin1").decode(archive.subarray(start, start + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK_BYTES <= archive.length;) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    if (!(size >= 0)) return undefined;
    const start = at + BLOCK_BYTES;
    const match = name.exec(text(at, 100));
    if (match) return { match, bytes: archive.slice(start, start + size) };
    at = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return undefined;
}
