import { charsetOf, declaredEncoding } from "./declared.ts";
import { decodeText } from "./decode.ts";
import { isBinary, markedUnicode, unmarkedUnicode } from "./unicode.ts";

/** Encoding of a text that is decoded in parts. */
export interface StreamEncoding {
  /** Decodes the next bytes. */
  readonly decoder: TextDecoder;
  /** `encoding` and `encoding_confidence`, if the encoding was guessed. */
  readonly metadata: Record<string, unknown> | undefined;
  /** Doubts about the encoding. */
  readonly warnings: readonly string[];
}

/**
 * Judges the encoding of a text by its beginning, as `decodeText` judges that of a whole file.
 *
 * @param sample The first megabyte.
 * @returns `undefined` for binary data, and for an encoding that `TextDecoder` does not have.
 */
export async function streamEncoding(
  sample: Uint8Array,
  contentType: string | undefined,
): Promise<StreamEncoding | undefined> {
  if (isBinary(sample)) return undefined;
  const even = sample.subarray(0, sample.length - sample.length % 4);
  const declared = charsetOf(contentType) ?? declaredEncoding(sample);
  const decoded = await decodeText(wholeCharacters(sample), declared);
  const label = markedUnicode(sample) ?? decoded?.encoding ??
    (isUtf8(sample) ? "utf-8" : unmarkedUnicode(even) ?? declared ?? "utf-8");
  try {
    const decoder = new TextDecoder(label);
    const { encoding, confidence, warnings = [] } = decoded ?? {};
    return {
      decoder,
      metadata: encoding === undefined ? undefined : { encoding, encoding_confidence: confidence },
      warnings,
    };
  } catch {
    return undefined;
  }
}

function isUtf8(sample: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(wholeCharacters(sample));
    return true;
  } catch {
    return false;
  }
}

/** Returns a sample without the UTF-8 character that its end cuts. */
function wholeCharacters(sample: Uint8Array): Uint8Array {
  for (let length = sample.length; length > sample.length - 4 && length > 0; length--) {
    const last = sample[length - 1]!;
    if (last < 0x80) return sample.subarray(0, length);
    if (last >= 0xc0) return sample.subarray(0, length - 1);
  }
  return sample;
}
