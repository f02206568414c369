import type { Bitmap } from "../../src/extraction/ocr/mod.ts";

/** Letters of 5 × 7 pixels, row by row. */
const GLYPHS: Readonly<Record<string, string>> = {
  A: "01110 10001 10001 11111 10001 10001 10001",
  E: "11111 10000 10000 11110 10000 10000 11111",
  H: "10001 10001 10001 11111 10001 10001 10001",
  L: "10000 10000 10000 10000 10000 10000 11111",
  O: "01110 10001 10001 10001 10001 10001 01110",
  T: "11111 00100 00100 00100 00100 00100 00100",
  " ": "00000 00000 00000 00000 00000 00000 00000",
};
/** Width and height of a pixel of a letter, in pixels of the image. */
const SCALE = 8;
const MARGIN = 40;

/** Draws lines of capital letters in black on white; see `GLYPHS` for the letters. */
export function drawText(lines: readonly string[]): Bitmap {
  const columns = Math.max(...lines.map((line) => line.length));
  const width = 2 * MARGIN + columns * 6 * SCALE;
  const height = 2 * MARGIN + lines.length * 12 * SCALE;
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (const [row, line] of lines.entries()) {
    for (const [column, letter] of [...line].entries()) {
      for (const [y, bits] of GLYPHS[letter]!.split(" ").entries()) {
        for (const [x, bit] of [...bits].entries()) {
          if (bit === "0") continue;
          const left = MARGIN + (column * 6 + x) * SCALE;
          const top = MARGIN + (row * 12 + y) * SCALE;
          for (let at = top; at < top + SCALE; at++) {
            rgba.fill(0, (at * width + left) * 4, (at * width + left + SCALE) * 4);
          }
        }
      }
    }
  }
  for (let alpha = 3; alpha < rgba.length; alpha += 4) rgba[alpha] = 255;
  return { width, height, rgba };
}

/** Encodes a bitmap as an uncompressed BMP file with 24 bits per pixel. */
export function toBmp({ width, height, rgba }: Bitmap): Uint8Array<ArrayBuffer> {
  const stride = Math.ceil((width * 3) / 4) * 4;
  const bmp = new Uint8Array(54 + stride * height);
  const view = new DataView(bmp.buffer);
  bmp.set([0x42, 0x4d]);
  for (const [at, value] of [[2, bmp.length], [10, 54], [14, 40], [18, width], [22, height]] as const) {
    view.setUint32(at, value, true);
  }
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      const to = 54 + (height - 1 - y) * stride + x * 3;
      bmp.set([rgba[from + 2]!, rgba[from + 1]!, rgba[from]!], to);
    }
  }
  return bmp;
}
