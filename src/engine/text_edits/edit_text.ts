import type { DocumentEdit } from "../../contract/mod.ts";
import { normalizeUnicode } from "../../text/mod.ts";
import { type ChangedText, spliceText } from "./changed_text.ts";
import { findPassage } from "./find_passage.ts";
import { replaceSection } from "./replace_section.ts";

/** The changes of text in a {@linkcode DocumentEdit}. */
export type TextEdits = Pick<DocumentEdit, "replace" | "section" | "prepend" | "append">;

/** Whether an edit changes the text. */
export function hasTextEdits({ replace, section, prepend, append }: TextEdits): boolean {
  return [replace, section, prepend, append].some((change) => change !== undefined);
}

/**
 * Applies the changes in the order of the contract: `replace`, `section`, `prepend`, `append`. Each sees the text
 * that the previous one made.
 *
 * @param text Text as stored: NFC with `\n` line breaks. The edits are normalized in the same way.
 * @throws {KnowledgeBaseError} `invalid` for a passage or heading that does not occur exactly once; the message
 * says what to send instead.
 *
 * @example
 * ```ts
 * import { editText } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const { text } = editText("# Plants\n\nWater on Monday.", {
 *   replace: { old: "Monday", new: "Friday" },
 *   append: "- ferns",
 * });
 * assertEquals(text, "# Plants\n\nWater on Friday.\n- ferns");
 * ```
 */
export function editText(text: string, { replace, section, prepend, append }: TextEdits): ChangedText {
  let result: ChangedText = { text, changed: [] };
  if (replace) {
    result = spliceText(result, findPassage(text, normalize(replace.old)), normalize(replace.new));
  }
  if (section) {
    result = replaceSection(result, { heading: normalize(section.heading), text: normalize(section.text) });
  }
  if (prepend !== undefined) {
    const lines = normalize(prepend);
    const needsBreak = !lines.endsWith("\n") && result.text !== "";
    result = spliceText(result, { start: 0, end: 0 }, needsBreak ? `${lines}\n` : lines);
  }
  if (append !== undefined) {
    const lines = normalize(append);
    const end = result.text.length;
    const needsBreak = !result.text.endsWith("\n") && result.text !== "";
    result = spliceText(result, { start: end, end }, needsBreak ? `\n${lines}` : lines);
  }
  // A combining mark at the start of a replacement composes with the character before it.
  return { ...result, text: normalizeUnicode(result.text, "NFC") };
}

function normalize(text: string): string {
  return normalizeUnicode(text.toWellFormed().replaceAll("\0", "\ufffd").replace(/\r\n?/g, "\n"), "NFC");
}
