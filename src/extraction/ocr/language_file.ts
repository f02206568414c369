/**
 * Returns language data without its compression.
 *
 * @param file `<code>.traineddata`, plain or compressed with gzip.
 * @throws {TypeError} When the compressed data are damaged.
 */
export async function readLanguageData(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const isGzip = file[0] === 0x1f && file[1] === 0x8b;
  if (!isGzip) return file;
  const stream = new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
