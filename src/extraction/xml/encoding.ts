/** Returns the encoding of a byte order mark or XML declaration; UTF-8 without one that is supported. */
export function xmlEncoding(source: Uint8Array): string {
  if (source[0] === 0xff && source[1] === 0xfe) return "utf-16le";
  if (source[0] === 0xfe && source[1] === 0xff) return "utf-16be";
  const head = new TextDecoder("latin1").decode(source.subarray(0, 200));
  const label =
    /^(?:\xef\xbb\xbf)?\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]{2,40})["']/.exec(head)?.[1] ?? "utf-8";
  try {
    const { encoding } = new TextDecoder(label);
    // ASCII bytes that declare UTF-16 are common in hand-made files.
    return encoding.startsWith("utf-16") ? "utf-8" : encoding;
  } catch {
    return "utf-8";
  }
}
