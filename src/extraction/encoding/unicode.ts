/** Number of bytes that are inspected to tell text from binary data. */
const SAMPLE_BYTES = 65_536;

/** Detects a Unicode encoding by byte order mark, or UTF-16 by its zero bytes. */
export function sniffUnicode(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  // FF FE 00 00 is UTF-32, which TextDecoder does not support.
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && bytes.length > 2 ? undefined : "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return sniffUtf16(bytes.subarray(0, 4096));
}

/** Detects UTF-16 without a byte order mark: in mostly ASCII text every other byte is zero. */
function sniffUtf16(sample: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const zeros = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i % 2]!++;
  const [even, odd] = zeros as [number, number];
  const pairs = sample.length / 2;
  if (pairs < 2 || sample.length % 2 !== 0) return undefined;
  if (odd > pairs * 0.6 && even < pairs * 0.02) return "utf-16le";
  if (even > pairs * 0.6 && odd < pairs * 0.02) return "utf-16be";
  return undefined;
}

/**
 * Whether bytes are not text in a supported encoding: they have zero bytes or too many control characters.
 */
export function isBinary(bytes: Uint8Array): boolean {
  const unicode = sniffUnicode(bytes);
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (unicode === "utf-16le" || unicode === "utf-16be") {
    const text = new TextDecoder(unicode).decode(sample.subarray(0, sample.length & ~1));
    // deno-lint-ignore no-control-regex -- counts control characters
    return (text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd\ufffe\uffff]/g)?.length ?? 0) >
      text.length / 50;
  }
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    // Tabs, line and page ends are text; ESC occurs in ISO-2022 encodings and in colored logs.
    if (byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f) controls++;
  }
  return controls > sample.length / 100;
}

/** Returns the `charset` parameter of a media type in lower case (RFC 9110 §8.3.1). */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:+-]{2,40})/i.exec((contentType ?? "").slice(0, 500))?.[1]?.toLowerCase();
}

/**
 * Returns the encoding that an HTML or XML document declares in its first 1024 bytes (HTML standard
 * §13.2.3.2).
 */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const found = /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:+-]{2,40})/i.exec(head) ??
    /^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w.:+-]{2,40})/i.exec(head);
  return found?.[1]?.toLowerCase();
}
