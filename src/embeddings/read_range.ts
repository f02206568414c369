/** Maximum size of one read in bytes: Deno may copy it, and the allocator keeps the memory of large copies. */
const READ_BYTES = 2 ** 20;

/**
 * Reads a range of a file.
 *
 * @returns Fewer bytes than `length` at the end of the file.
 */
export async function readRange(
  file: Deno.FsFile,
  offset: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  await file.seek(offset, Deno.SeekMode.Start);
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, await readInto(file, bytes));
}

/** Fills `bytes` from the position of a file, or up to its end. Returns the number of bytes read. */
export async function readInto(file: Deno.FsFile, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const count = await file.read(bytes.subarray(filled, filled + READ_BYTES));
    if (count === null) break;
    filled += count;
  }
  return filled;
}
