import { encodingLabel } from "./declared.ts";
import {
  decodeUnicode,
  escapedEncoding,
  hasManyControls,
  isBinary,
  isEbcdic,
  markedUnicode,
  unmarkedUnicode,
} from "./unicode.ts";

/** Number of bytes in which invalid UTF-8 is counted. */
const SAMPLE_BYTES = 65_536;
/** A guess with a lower confidence gives a warning. */
const MIN_CONFIDENCE = 0.9;

/** Text of a file. */
export interface DecodedText {
  readonly text: string;
  /** Encoding, if it was guessed. */
  readonly encoding?: string;
  /** Probability of the guess, from 0 to 1. */
  readonly confidence?: number;
  /** Doubts about the encoding, as sentences for the sender. */
  readonly warnings: readonly string[];
}

/**
 * Decodes text of any encoding. In order of precedence: byte order mark, UTF-16, UTF-32 and EBCDIC by their bytes,
 * valid UTF-8, the declared encoding unless the bytes contradict it, letter statistics. Invalid bytes become U+FFFD.
 *
 * @param declared Name of the encoding declared by the sender or the document.
 * @returns `undefined` for binary data.
 */
export async function decodeText(bytes: Uint8Array, declared?: string): Promise<DecodedText | undefined> {
  if (isBinary(bytes)) return undefined;
  const marked = markedUnicode(bytes);
  if (marked) return { text: decodeUnicode(bytes, marked), warnings: [] };
  const label = declared === undefined ? undefined : encodingLabel(declared);
  // ISO-2022 encodings are ASCII with escape sequences: valid as UTF-8, but unreadable.
  const escaped = escapedEncoding(bytes);
  if (escaped) {
    const text = escaped === "iso-2022-kr" ? decodeIso2022Kr(bytes) : new TextDecoder(escaped).decode(bytes);
    return guessed(text, { encoding: escaped, confidence: 0.99 });
  }
  // UTF-16 of Latin or Cyrillic text is valid UTF-8, with many zero and control bytes.
  const utf8 = hasManyControls(bytes) ? undefined : decodeUtf8(bytes);
  if (utf8 !== undefined) return { text: utf8, warnings: [] };
  const unmarked = unmarkedUnicode(bytes);
  if (unmarked) return guessed(decodeUnicode(bytes, unmarked), { encoding: unmarked, confidence: 0.99 });

  const { contradicts, decodeWith, guessEbcdic, guessEncoding } = await import("./guess.ts");
  if (isEbcdic(bytes)) {
    const guess = label !== undefined && /^cp(?:037|273|500|1047)$/.test(label)
      ? undefined
      : guessEbcdic(bytes);
    const text = decodeWith(bytes, guess?.encoding ?? label!);
    return guess ? guessed(text, guess) : { text, warnings: [] };
  }
  if (label !== undefined && label !== "utf-8" && !label.startsWith("utf-16")) {
    const guess = contradicts(bytes, label);
    if (!guess) return { text: decodeWith(bytes, label), warnings: [] };
    return {
      ...guessed(decodeWith(bytes, guess.encoding), guess),
      warnings: [
        `The file declares the encoding ${label}, but was read as ${guess.encoding}, which fits its bytes: check ` +
        "special characters, or convert the file to UTF-8.",
      ],
    };
  }
  // A few invalid bytes must not turn a whole UTF-8 text into Latin-1.
  if (isMostlyUtf8(bytes.subarray(0, SAMPLE_BYTES))) {
    const text = new TextDecoder().decode(bytes);
    return {
      text,
      warnings: ["Some bytes are no valid UTF-8, and were replaced by \ufffd: check special characters."],
    };
  }
  const guess = guessEncoding(bytes);
  return guessed(decodeWith(bytes, guess.encoding), guess);
}

function guessed(
  text: string,
  { encoding, confidence }: { readonly encoding: string; readonly confidence: number },
): DecodedText {
  const warnings = confidence >= MIN_CONFIDENCE ? [] : [
    `The encoding was guessed as ${encoding} (confidence ${confidence}): check special characters, or convert the ` +
    "file to UTF-8.",
  ];
  return { text, encoding, confidence, warnings };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes ISO-2022-KR (RFC 1557), which `TextDecoder` rejects: EUC-KR with seven bits between SO and SI. */
function decodeIso2022Kr(bytes: Uint8Array): string {
  const eucKr: number[] = [];
  let isShifted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x1b) at += 3;
    else if (byte === 0x0e || byte === 0x0f) isShifted = byte === 0x0e;
    else eucKr.push(isShifted && byte > 0x20 ? byte | 0x80 : byte);
  }
  return new TextDecoder("euc-kr").decode(Uint8Array.from(eucKr));
}

/**
 * Whether at least 90 % of the characters beyond ASCII are valid UTF-8. In other encodings hardly any are.
 */
function isMostlyUtf8(sample: Uint8Array): boolean {
  const text = new TextDecoder().decode(sample);
  let beyondAscii = 0;
  let invalid = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    beyondAscii++;
    if (code === 0xfffd) invalid++;
  }
  return beyondAscii > 8 && invalid < beyondAscii / 10;
}
