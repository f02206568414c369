/**
 * Names of binary formats by their magic bytes, for error messages only: a wrong match costs a vague message,
 * which is why this small table replaces a file type library.
 */
const SIGNATURES: readonly (readonly [name: string, at: number, bytes: string])[] = [
  ["an HEIC picture", 4, "ftyphei"],
  ["an HEIC picture", 4, "ftypmif1"],
  ["an AVIF picture", 4, "ftypavif"],
  ["an M4A sound", 4, "ftypM4A"],
  ["an MP4 or QuickTime video", 4, "ftyp"],
  ["an MP3 sound", 0, "ID3"],
  ["an MP3 sound", 0, "\xff\xfb"],
  ["a WAV sound", 8, "WAVE"],
  ["an AVI video", 8, "AVI "],
  ["an Ogg sound or video", 0, "OggS"],
  ["a FLAC sound", 0, "fLaC"],
  ["a Matroska or WebM video", 0, "\x1aE\xdf\xa3"],
  ["a gzip archive", 0, "\x1f\x8b"],
  ["a bzip2 archive", 0, "BZh"],
  ["an xz archive", 0, "\xfd7zXZ"],
  ["a Zstandard archive", 0, "\x28\xb5\x2f\xfd"],
  ["a 7-Zip archive", 0, "7z\xbc\xaf"],
  ["a RAR archive", 0, "Rar!"],
  ["a tar archive", 257, "ustar"],
  ["an SQLite database", 0, "SQLite format 3"],
  ["a Parquet table", 0, "PAR1"],
  ["a program for Linux", 0, "\x7fELF"],
  ["a program for Windows", 0, "MZ"],
  ["a program for macOS", 0, "\xcf\xfa\xed\xfe"],
  ["a program for macOS or Java", 0, "\xca\xfe\xba\xbe"],
  ["a WebAssembly module", 0, "\0asm"],
  ["a DjVu document", 0, "AT&TFORM"],
  ["an Access database", 4, "Standard "],
  ["a OneNote section", 0, "\xe4R\\{"],
  ["an AutoCAD drawing", 0, "AC10"],
  ["a Word 1–2 document", 0, "\xdb\xa5"],
  ["a WordPerfect document", 0, "\xffWPC"],
  ["a font", 0, "wOFF"],
  ["a font", 0, "wOF2"],
  ["a font", 0, "OTTO"],
  ["a font", 0, "\0\x01\0\0"],
];

/** Magic bytes of images, with their offsets. */
const IMAGES: readonly (readonly [at: number, bytes: string])[] = [
  [0, "\xff\xd8\xff"],
  [0, "\x89PNG\r\n\x1a\n"],
  [0, "GIF8"],
  [8, "WEBP"],
  [0, "II*\0"],
  [0, "MM\0*"],
  [0, "BM"],
];

/** Magic bytes of OLE2 compound files: Office formats before 2007, and password-protected Office files. */
const OLE2 = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/** Whether the bytes are an image in a format that OCR can read. */
export function isImage(bytes: Uint8Array): boolean {
  return IMAGES.some(([at, signature]) => startsWith(bytes, signature, at)) &&
    (!startsWith(bytes, "BM") || startsWith(bytes, "\0\0\0\0", 6));
}

/** Whether the bytes are an OLE2 compound file. */
export function isOle2(bytes: Uint8Array): boolean {
  return startsWith(bytes, OLE2);
}

/** Describes a binary file, with an article: "a JPEG picture". */
export function describeBinary(bytes: Uint8Array): string {
  const found = SIGNATURES.find(([, at, signature]) => startsWith(bytes, signature, at));
  return found?.[0] ?? "binary data of an unknown kind";
}

/** Whether `bytes` contain `signature`, one byte per code unit, at offset `at`. */
export function startsWith(bytes: Uint8Array, signature: string, at = 0): boolean {
  for (let i = 0; i < signature.length; i++) if (bytes[at + i] !== signature.charCodeAt(i)) return false;
  return true;
}
