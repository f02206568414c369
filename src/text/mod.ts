/**
 * Text utilities without dependencies.
 *
 * @module
 */
export { estimateTokens } from "./estimate_tokens.ts";
export { closestName } from "./closest_name.ts";
export { collapseSpace } from "./collapse_space.ts";
export { editDistance } from "./edit_distance.ts";
export { isFrequentWord } from "./frequent_word.ts";
export { lazy } from "./lazy.ts";
export { normalizeUnicode } from "./normalize_unicode.ts";
export { oneLine } from "./one_line.ts";
export { escapeInvisible, quoteText } from "./quote_text.ts";
export { type EditRange, singleEdits } from "./single_edits.ts";
export { formatPath, formatValue, requirementOf, valueAt } from "./schema_issue.ts";
export { systemReason } from "./system_reason.ts";
export { joinBytes, joinText, lengthOf, type Text, type TextParts } from "./text_parts.ts";
export { type FittableResult, type FittedResults, fitTokens, type TokenBudget } from "./token_budget.ts";
export { unicodeForms } from "./unicode_forms.ts";
export { visibleText } from "./visible_text.ts";
