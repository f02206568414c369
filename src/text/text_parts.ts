/** Text in parts, of which some are encoded in UTF-8 already: joined when it is sent, no part is copied before. */
export type TextParts = readonly (string | Uint8Array<ArrayBuffer>)[];

/** Text in one part or several. */
export type Text = string | TextParts;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the length of a text in UTF-16 code units, or more: parts that are encoded count with their bytes. */
export function lengthOf(text: Text): number {
  return typeof text === "string" ? text.length : text.reduce((sum, { length }) => sum + length, 0);
}

/** Returns a text in one part. */
export function joinText(text: Text): string {
  if (typeof text === "string") return text;
  return text.map((part) => typeof part === "string" ? part : decoder.decode(part)).join("");
}

/** Returns a text as bytes, in UTF-8. */
export function joinBytes(text: Text): Uint8Array<ArrayBuffer> {
  if (typeof text === "string") return encoder.encode(text);
  const encoded = text.map((part) => typeof part === "string" ? encoder.encode(part) : part);
  const bytes = new Uint8Array(lengthOf(encoded));
  let offset = 0;
  for (const part of encoded) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
