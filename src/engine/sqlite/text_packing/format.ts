/**
 * The format of packed texts.
 *
 * A packed text is a byte with the format, a checksum of the text in 32 bits, little-endian, and codes of the symbols
 * whose bytes, joined, are the text in UTF-8. Codes below {@linkcode SHORT_CODES} are one byte. Others are two: a code
 * `SHORT_CODES + 256 * a + b` is the bytes `SHORT_CODES + a` and `b`.
 *
 * The checksum depends on the symbols, so that other symbols do not make another text of the codes.
 *
 * @module
 */

/** First byte of a packed text. */
export const FORMAT = 1;

/** Number of bytes before the codes. */
export const HEADER_BYTES = 5;

/** Number of codes of one byte. */
export const SHORT_CODES = 224;

/** Maximum number of symbols. */
export const MAX_SYMBOLS = SHORT_CODES + (256 - SHORT_CODES) * 256;

/** Maximum length of a symbol, in bytes. */
export const MAX_SYMBOL_BYTES = 15;

/** Maximum length of a packed text in UTF-8: the memory for it is fixed. Longer texts are stored as they are. */
export const MAX_TEXT_BYTES = 65_536;
