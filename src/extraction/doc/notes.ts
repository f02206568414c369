/** A note or comment: where it is referred to in the body, and where its text is in its part. */
export interface NoteRange {
  readonly reference: number;
  readonly start: number;
  readonly end: number;
  /** Index of the author of a comment. */
  readonly author: number;
}

/** Size of the data of a reference to a comment ([MS-DOC] §2.9.6). */
const COMMENT_BYTES = 30;

/**
 * Reads the positions of notes ([MS-DOC] §2.8.16 and §2.8.17).
 *
 * @param references Positions in the body, with data of `dataBytes` for each.
 * @param texts Positions in the part of the notes.
 */
export function readNotes(references: Uint8Array, texts: Uint8Array, kind: "note" | "comment"): NoteRange[] {
  const dataBytes = kind === "note" ? 2 : COMMENT_BYTES;
  const count = Math.floor((references.length - 4) / (4 + dataBytes));
  const view = new DataView(references.buffer, references.byteOffset, references.byteLength);
  const ends = positions(texts);
  const notes: NoteRange[] = [];
  for (let i = 0; i < count && i + 1 < ends.length; i++) {
    const data = 4 * (count + 1) + dataBytes * i;
    notes.push({
      reference: view.getUint32(4 * i, true),
      start: ends[i]!,
      end: ends[i + 1]!,
      author: kind === "comment" ? view.getUint16(data + 20, true) : -1,
    });
  }
  return notes;
}

/** Reads an array of positions without data. Those that do not ascend become empty ranges: no text is read twice. */
export function positions(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let last = 0;
  return Array.from(
    { length: bytes.length >> 2 },
    (_, i) => last = Math.max(last, view.getUint32(4 * i, true)),
  );
}

/** Reads the names of the authors of comments: strings with their length ([MS-DOC] §2.9.330). */
export function readAuthors(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names: string[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const length = 2 * view.getUint16(at, true);
    names.push(new TextDecoder("utf-16le").decode(bytes.subarray(at + 2, at + 2 + length)));
    at += 2 + length;
  }
  return names;
}
