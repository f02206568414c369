/** Pixels of an image, row by row from the top: red, green, blue and alpha, a byte each. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/**
 * Encodes a bitmap as a gray PGM image (the `P5` form of Netpbm), which OCR decodes without a compression library.
 *
 * @throws {RangeError} When `rgba` has not 4 bytes per pixel.
 *
 * @example
 * ```ts
 * import { toPgm } from "./bitmap.ts";
 * import { assertEquals } from "@std/assert";
 * const pgm = toPgm({ width: 1, height: 1, rgba: Uint8Array.of(255, 255, 255, 255) });
 * assertEquals(new TextDecoder("latin1").decode(pgm), "P5\n1 1\n255\n\u00ff");
 * ```
 */
export function toPgm({ width, height, rgba }: Bitmap): Uint8Array<ArrayBuffer> {
  if (rgba.length !== width * height * 4) {
    throw new RangeError(`rgba must have ${width * height * 4} bytes, got ${rgba.length}`);
  }
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
  const image = new Uint8Array(header.length + width * height);
  image.set(header);
  for (let pixel = 0, at = header.length; at < image.length; pixel += 4, at++) {
    // Luma of ITU-R BT.601, in 1/256.
    image[at] = (77 * rgba[pixel]! + 150 * rgba[pixel + 1]! + 29 * rgba[pixel + 2]!) >> 8;
  }
  return image;
}
