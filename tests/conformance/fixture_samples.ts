import type { ContentBlock } from "../../src/tools/mod.ts";

/** A PNG of one red pixel, as base64. */
export const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A WAV file of 8 kHz and 8 bits without samples, as base64. */
export const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** The pixel as a content block. */
export const IMAGE: ContentBlock = { type: "image", data: RED_PIXEL, mimeType: "image/png" };

/** Returns a text content block. */
export function text(text: string): ContentBlock {
  return { type: "text", text };
}
