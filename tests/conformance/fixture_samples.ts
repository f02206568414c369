import type { ContentBlock } from "../../src/tools/mod.ts";

/** A PNG of one red pixel, in Base64. */
export const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A WAV file of 8 kHz, 8 bits and no sample at all, in Base64. */
export const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** The pixel, as content. */
export const IMAGE: ContentBlock = { type: "image", data: RED_PIXEL, mimeType: "image/png" };

/** A text, as content. */
export function text(text: string): ContentBlock {
  return { type: "text", text };
}
