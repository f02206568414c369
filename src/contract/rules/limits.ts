/** Maximum length of the name of who makes a change, in UTF-16 code units. */
export const MAX_ACTOR_CHARS = 100;
/** Maximum length of a search query in UTF-16 code units. */
export const MAX_QUERY_CHARS = 10_000;
/** Maximum length of a title in UTF-16 code units. */
export const MAX_TITLE_CHARS = 500;
/** Maximum length of a `source_path` in UTF-16 code units. */
export const MAX_SOURCE_PATH_CHARS = 2_000;
/** Maximum length of a note in UTF-16 code units. */
export const MAX_NOTE_CHARS = 1_000_000;
/** Maximum length of the text of a file in the embedded engine, in UTF-16 code units: about 8,000 pages. */
export const MAX_TEXT_CHARS = 16_000_000;
/** Maximum size of a text file in bytes: UTF-32 has four for a UTF-16 code unit, UTF-8 at most three. */
export const MAX_TEXT_BYTES = 4 * MAX_TEXT_CHARS;
/** Default number of results of a search. */
export const DEFAULT_TOP = 10;
/** Maximum number of results of a search. */
export const MAX_TOP = 50;
/** Maximum number of rows in a page of a listing. */
export const MAX_PAGE = 200;
/** Maximum number of sources in an engine. */
export const MAX_SOURCES = 100;
/** Default number of similar notes. */
export const DEFAULT_SIMILAR = 3;
