import { decodeWith, guessEncoding } from "../encoding/guess.ts";
import { bytesOf, type FileInformation } from "./file_information.ts";

/** A piece of the text: consecutive characters at one position of the stream ([MS-DOC] §2.9.177). */
export interface Piece {
  /** Position of its first character in the text. */
  readonly start: number;
  readonly end: number;
  /** Position in the stream `WordDocument`, in bytes. */
  readonly offset: number;
  /** 1 for text in a code page, 2 for UTF-16. */
  readonly charBytes: 1 | 2;
}

/** Maximum number of pieces: one per edit of a fast save. */
const MAX_PIECES = 1_000_000;

/** The text of a Word 97–2003 document, in the order of its characters. */
export interface PieceText {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/**
 * Reads the text.
 *
 * @param stream The stream `WordDocument`.
 * @param table The table stream.
 */
export function readText(stream: Uint8Array, table: Uint8Array, information: FileInformation): PieceText {
  const pieces = readPieces(information.isOld ? stream : table, information, stream.length);
  if (pieces.length === 0) {
    const declared = Object.values(information.lengths).reduce((sum, length) => sum + length, 0);
    const offset = information.textStart;
    pieces.push({
      start: 0,
      end: Math.min(declared, Math.max(stream.length - offset, 0)),
      offset,
      charBytes: 1,
    });
  }
  const label = information.isOld ? guessedEncoding(stream, pieces) : "windows-1252";
  const wide = new TextDecoder("utf-16le", { ignoreBOM: true });
  const parts = pieces.map(({ start, end, offset, charBytes }) => {
    const bytes = stream.subarray(offset, offset + (end - start) * charBytes);
    // Positions count bytes of East Asian characters too.
    return (charBytes === 2 ? wide.decode(bytes) : decodeWith(bytes, label)).padEnd(end - start, "\0");
  });
  return { text: parts.join(""), pieces };
}

/** Guesses the code page of a file before Word 97, which only its fonts name. */
function guessedEncoding(stream: Uint8Array, pieces: readonly Piece[]): string {
  const first = pieces[0]!;
  const longest = pieces.reduce(
    (best, piece) => piece.end - piece.start > best.end - best.start ? piece : best,
    first,
  );
  return guessEncoding(stream.subarray(longest.offset, longest.offset + longest.end - longest.start))
    .encoding;
}

/**
 * Reads the piece table of a Clx ([MS-DOC] §2.9.38).
 *
 * @param maxChars Maximum number of characters: each has at least a byte of its own.
 */
function readPieces(stream: Uint8Array, information: FileInformation, maxChars: number): Piece[] {
  const pieces: Piece[] = [];
  if (information.isOld && !information.isComplex) return pieces;
  const clx = bytesOf(stream, information.range("pieces"));
  const view = new DataView(clx.buffer, clx.byteOffset, clx.byteLength);
  let at = 0;
  // Properties of fast saves precede the table.
  while (at + 3 <= clx.length && clx[at] === 1) at += 3 + view.getUint16(at + 1, true);
  if (at + 5 > clx.length || clx[at] !== 2) return pieces;
  const count = Math.min(Math.floor((view.getUint32(at + 1, true) - 4) / 12), MAX_PIECES);
  at += 5;
  let last = 0;
  for (let i = 0; i < count && at + 4 * (count + 1) + 8 * (i + 1) <= clx.length; i++) {
    const start = view.getUint32(at + 4 * i, true);
    const end = view.getUint32(at + 4 * (i + 1), true);
    if (start !== last || end < start || end > maxChars) {
      throw new RangeError("the pieces of the text must follow each other");
    }
    last = end;
    const address = view.getUint32(at + 4 * (count + 1) + 8 * i + 2, true);
    const isNarrow = information.isOld || (address & 0x40000000) !== 0;
    const offset = information.isOld ? address : isNarrow ? (address & 0x3fffffff) >>> 1 : address;
    pieces.push({ start, end, offset, charBytes: isNarrow ? 1 : 2 });
  }
  return pieces;
}
