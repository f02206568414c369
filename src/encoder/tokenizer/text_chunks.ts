/** Length of a chunk in UTF-16 units, unless no word ends there. */
const CHUNK_LENGTH = 512;
/** Maximum length of a chunk: a longer word is cut. */
const MAX_CHUNK_LENGTH = 16_384;

/** Part of a text. */
export interface TextChunk {
  readonly text: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Whether the chunk starts with the space before a word. */
  readonly startsWord: boolean;
}

/**
 * Cuts a text in front of spaces, so that a caller that needs only its start does not process all of it. The
 * character before the space is a letter, digit or punctuation: white space and marks are not torn apart.
 */
export function* textChunks(text: string): Iterable<TextChunk> {
  for (let start = 0; start < text.length;) {
    const end = endOfChunk(text, start);
    yield {
      text: text.slice(start, end),
      isFirst: start === 0,
      isLast: end === text.length,
      startsWord: text[start] === " ",
    };
    start = end;
  }
}

function endOfChunk(text: string, start: number): number {
  const limit = start + MAX_CHUNK_LENGTH;
  if (text.length <= start + CHUNK_LENGTH) return text.length;
  for (let i = text.indexOf(" ", start + CHUNK_LENGTH); i >= 0 && i <= limit; i = text.indexOf(" ", i + 1)) {
    if (/[\p{L}\p{N}\p{P}]$/u.test(text.slice(i - 2, i))) return i;
  }
  if (text.length <= limit) return text.length;
  const isInsidePair = (text.charCodeAt(limit) & 0xfc00) === 0xdc00;
  return isInsidePair ? limit - 1 : limit;
}
