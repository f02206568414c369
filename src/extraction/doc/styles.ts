import type { ParagraphRole } from "../markdown/roles.ts";

/** Number of styles in a chain of base styles that are followed. */
const MAX_CHAIN = 32;
/** Built-in styles by their identifier ([MS-DOC] §2.9.271). */
const TITLE = 62;
const FIRST_CONTENTS = 19;
const LAST_CONTENTS = 27;
const NO_BASE = 0xfff;

/** Reads the roles of the paragraph styles from the style sheet ([MS-DOC] §2.9.271). */
export function readStyleRoles(sheet: Uint8Array): ParagraphRole[] {
  const view = new DataView(sheet.buffer, sheet.byteOffset, sheet.byteLength);
  if (sheet.length < 6) return [];
  let at = 2 + view.getUint16(0, true);
  const count = view.getUint16(2, true);
  const styles: { identifier: number; base: number }[] = [];
  for (let i = 0; i < count && at + 2 <= sheet.length; i++) {
    const length = view.getUint16(at, true);
    const hasStyle = length >= 4 && at + 6 <= sheet.length;
    styles.push({
      identifier: hasStyle ? view.getUint16(at + 2, true) & 0xfff : NO_BASE,
      base: hasStyle ? view.getUint16(at + 4, true) >> 4 : NO_BASE,
    });
    at += 2 + length + (length & 1);
  }
  return styles.map((_, index) => {
    for (let i = 0, next = index; i < MAX_CHAIN && styles[next]; i++, next = styles[next]!.base) {
      const { identifier } = styles[next]!;
      if (identifier >= 1 && identifier <= 9) return { kind: "heading", level: identifier };
      if (identifier === TITLE) return { kind: "heading", level: 1 };
      if (identifier >= FIRST_CONTENTS && identifier <= LAST_CONTENTS) return { kind: "contents" };
    }
    return { kind: "body" };
  });
}
