/**
 * What extraction takes at most. A file is given by a stranger, and the thread that reads it shares its memory
 * with the engine: a limit that is hit fails one job, memory that runs out would end the program.
 *
 * @module
 */
const MiB = 2 ** 20;

/**
 * Longest extracted text, in UTF-16 code units: about 8,000 pages. Its chunks are one transaction, and other writes
 * wait for that.
 */
export const MAX_TEXT_CHARS = 16_000_000;
/** Largest HTML source, in characters; its tree takes about 20 times as much memory. */
export const MAX_HTML_CHARS = 16 * MiB;
/** Most bytes that all entries of a DOCX may have once they are unpacked, pictures included. */
export const MAX_UNPACKED_BYTES = 200 * MiB;
/** Most bytes of XML that are parsed of a DOCX; its tree takes about 20 times as much memory. */
export const MAX_XML_BYTES = 20 * MiB;
/** Most entries of a ZIP archive that are looked at. */
export const MAX_ZIP_ENTRIES = 20_000;
/** Most characters of YAML front matter; what is longer is text. */
export const MAX_FRONT_MATTER_CHARS = 65_536;
/** Pages of a PDF that may fail before the file counts as damaged. */
export const MAX_BAD_PAGES = 50;
