/**
 * Limits of extraction. Files are untrusted input: a file over a limit fails at once with a message that names
 * the limit, while one that exhausts the time or memory of the process costs both first.
 *
 * @module
 */
import { MAX_TEXT_BYTES, MAX_TEXT_CHARS } from "../contract/rules/mod.ts";

const MiB = 2 ** 20;

/**
 * Maximum length of extracted text and of HTML source, in UTF-16 code units: about 8,000 pages. It is in
 * memory as a whole. The tree of an HTML page takes about 20 times its source. Longer plain text is read in segments.
 */
export { MAX_TEXT_CHARS };
/** A longer text file has more than {@linkcode MAX_TEXT_CHARS} in every encoding, in bytes. */
export { MAX_TEXT_BYTES };

/** Maximum number of tags and comments in an HTML page. */
export const MAX_HTML_TAGS = 200_000;
/** Maximum number of attributes of an HTML tag. The parser needs quadratic time for them. */
export const MAX_HTML_ATTRIBUTES = 256;
/** Maximum number of open HTML elements. The parser's time grows with their number. */
export const MAX_HTML_OPEN = 5_000;
/** Maximum depth of the elements that are converted. The converter needs quadratic time for nested elements. */
export const MAX_HTML_DEPTH = 500;
/**
 * Longer runs of white space in HTML are cut to this many characters. The converter needs quadratic time for
 * them.
 */
export const MAX_HTML_SPACES = 200;
/** Maximum unpacked size of the sheets of a workbook, in bytes; they are unpacked while they are read. */
export const MAX_UNPACKED_BYTES = 200 * MiB;
/**
 * Maximum size of the XML of an Office, OpenDocument or EPUB package, in bytes. It is unpacked as a whole and parsed
 * block by block.
 */
export const MAX_XML_BYTES = 64 * MiB;
/** Maximum number of pixels of an image for OCR, which needs about 10 bytes and 0.4 µs for each. */
export const MAX_IMAGE_PIXELS = 40_000_000;
/** Maximum number of pixels of a PDF page that is drawn for OCR: A4 at 300 dpi has 8.7 million. */
export const MAX_DRAWN_PIXELS = 10_000_000;
/** Maximum depth of an XML tree; the converters are recursive. */
export const MAX_XML_DEPTH = 400;
/** Maximum number of columns of a sheet that becomes a table; a wider one becomes a list with one item per row. */
export const MAX_TABLE_COLUMNS = 200;
/** Maximum number of sheets of a workbook that are read. */
export const MAX_SHEETS = 2_000;
/** Maximum number of columns of a sheet: that of Excel and of LibreOffice. */
export const MAX_SHEET_COLUMNS = 16_384;
/** Maximum number of copies of a cell or row that an OpenDocument spreadsheet repeats. */
export const MAX_CELL_COPIES = 1_000;
/** Maximum number of entries in a ZIP archive. */
export const MAX_ZIP_ENTRIES = 20_000;
/**
 * Maximum length of YAML front matter, in characters. A longer block is treated as text. The parser compares each
 * key with all others: 65,536 characters of keys take over a second, and these half a tenth.
 */
export const MAX_FRONT_MATTER_CHARS = 16_384;
/**
 * Maximum length of the JSON of front matter, in characters. Aliases can repeat one value 20 times; a block with
 * a longer JSON is treated as text.
 */
export const MAX_METADATA_CHARS = 4 * MAX_FRONT_MATTER_CHARS;
/** Maximum size of an entry that describes a ZIP package, such as its list of content types, in bytes. */
export const MAX_PACKAGE_DESCRIPTION_BYTES = 4 * MiB;
/** Number of unreadable pages after which a PDF counts as damaged. */
export const MAX_BAD_PAGES = 50;
/** Maximum number of files in an archive or message, those of nested archives included. */
export const MAX_CONTAINED_FILES = 5_000;
/**
 * Maximum depth of files in files: an archive in an archive is read, one in that is not. The files of an archive have
 * the depth 1.
 */
export const MAX_CONTAINED_DEPTH = 2;
/** Maximum number of elements in an XML file: each takes about 200 bytes of memory. */
export const MAX_XML_ELEMENTS = 1_000_000;
/**
 * Maximum length of a line or paragraph of a markup language whose inline marks are converted, in characters. The
 * patterns need quadratic time for marks that nothing closes.
 */
export const MAX_INLINE_CHARS = 10_000;
/** Maximum depth of the parts of an e-mail. */
export const MAX_MAIL_DEPTH = 100;
/** Maximum size of the headers of an e-mail, in bytes. */
export const MAX_MAIL_HEADER_BYTES = 2 * MiB;
/** Maximum number of parts of a saved web page that are searched for the page. */
export const MAX_MHTML_PARTS = 10_000;
