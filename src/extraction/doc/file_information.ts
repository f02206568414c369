/** A part of a stream: offset and length in bytes. */
export interface StreamRange {
  readonly start: number;
  readonly length: number;
}

/** Number of characters of each part of the text, in the order of the parts ([MS-DOC] §2.4.1). */
export interface StoryLengths {
  readonly body: number;
  readonly footnotes: number;
  readonly headers: number;
  readonly macros: number;
  readonly comments: number;
  readonly endnotes: number;
  readonly boxes: number;
  readonly headerBoxes: number;
}

/** Minimum `nFib` of files of Word 97 and later. */
const WORD_97 = 0xc1;
/** Index of each structure in the array of offsets and lengths ([MS-DOC] §2.5.6). */
const STRUCTURES = {
  styles: 1,
  footnoteReferences: 2,
  footnoteTexts: 3,
  commentReferences: 4,
  commentTexts: 5,
  headerTexts: 11,
  characterPages: 12,
  paragraphPages: 13,
  pieces: 33,
  commentAuthors: 36,
  endnoteReferences: 46,
  endnoteTexts: 47,
} as const;

/** Structures of the table stream that the extractor reads. */
export type Structure = keyof typeof STRUCTURES;

/** The file information block at the start of the stream `WordDocument` ([MS-DOC] §2.5.1). */
export class FileInformation {
  readonly #view: DataView;

  /** @throws {RangeError} If the stream is too short. */
  constructor(stream: Uint8Array) {
    this.#view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
    if (this.#view.getUint16(0, true) !== 0xa5ec && !this.isOld) {
      throw new RangeError("the stream WordDocument must start with A5EC");
    }
  }

  /** Whether a version before Word 97 wrote the file: its text is in a code page, and its structures differ. */
  get isOld(): boolean {
    return this.#view.getUint16(2, true) < WORD_97;
  }

  /** Name of the table stream. */
  get tableStream(): string {
    return this.#view.getUint16(10, true) & 0x0200 ? "1Table" : "0Table";
  }

  /** Whether the text of a file before Word 97 is in several pieces. */
  get isComplex(): boolean {
    return (this.#view.getUint16(10, true) & 0x0004) !== 0;
  }

  /** Position of the text of a file before Word 97. */
  get textStart(): number {
    return this.#view.getUint32(0x18, true);
  }

  get lengths(): StoryLengths {
    const start = this.isOld ? 0x34 : 0x4c;
    const length = (index: number) => Math.max(this.#view.getInt32(start + 4 * index, true), 0);
    return {
      body: length(0),
      footnotes: length(1),
      headers: length(2),
      macros: length(3),
      comments: length(4),
      endnotes: length(5),
      boxes: length(6),
      headerBoxes: length(7),
    };
  }

  /** Returns the range of a structure; of an old file only `pieces`, which are in the stream `WordDocument`. */
  range(structure: Structure): StreamRange {
    const at = this.isOld ? 0x160 : 0x9a + 8 * STRUCTURES[structure];
    if ((this.isOld && structure !== "pieces") || at + 8 > this.#view.byteLength) {
      return { start: 0, length: 0 };
    }
    return { start: this.#view.getUint32(at, true), length: this.#view.getUint32(at + 4, true) };
  }
}

/** Returns a part of a stream, cut at its end. */
export function bytesOf(stream: Uint8Array, { start, length }: StreamRange): Uint8Array {
  return stream.subarray(start, start + length);
}
