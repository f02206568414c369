/**
 * Text utilities without dependencies.
 *
 * @module
 */
export { answerTokens } from "./answer_tokens.ts";
export { lazy } from "./lazy.ts";
export { normalizeUnicode } from "./normalize_unicode.ts";
export { visibleText } from "./visible_text.ts";
