/**
 * Edits of a note's text: append, prepend, replace one passage or the text under a heading. Pure.
 *
 * @module
 */
export { editText, hasTextEdits, type TextEdits } from "./edit_text.ts";
export { type Excerpt, excerpts } from "./excerpts.ts";
export type { ChangedText } from "./changed_text.ts";
