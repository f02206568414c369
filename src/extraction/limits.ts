/**
 * What extraction takes at most. A file is given by a stranger, and the thread that reads it shares its memory
 * with the engine: a limit that is hit fails one job, memory that runs out would end the program.
 *
 * @module
 */
const MiB = 2 ** 20;

/**
 * Longest extracted text, in UTF-16 code units: about 8,000 pages. Its chunks are one transaction, and other writes
 * wait for that. HTML source is text too, and its tree takes about 20 times as much memory.
 */
export const MAX_TEXT_CHARS = 16_000_000;
/** Most tags and comments of an HTML page. */
export const MAX_HTML_TAGS = 200_000;
/** Most attributes of one HTML tag: copying them takes the square of their number. */
export const MAX_HTML_ATTRIBUTES = 256;
/** Most HTML elements that are open at one place of the source; the parser's time grows with it. */
export const MAX_HTML_OPEN = 5_000;
/** Longest run of white space in HTML that is kept, in characters: the converter takes the square of it. */
export const MAX_HTML_SPACES = 200;
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
