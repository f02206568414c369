/** Whether a code unit is white space by the definition of `String.prototype.trim`. */
export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 ||
    (code >= 0x1680 && (code === 0x1680 || (code >= 0x2000 && code <= 0x200a) || code === 0x2028 ||
      code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000 || code === 0xfeff));
}

/** Returns the first offset in `start..end` that is not white space, or `end`. */
export function skipSpace(text: string, start: number, end: number): number {
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  return start;
}

/** Returns the offset after the last code unit in `start..end` that is not white space, or `start`. */
export function skipSpaceBack(text: string, start: number, end: number): number {
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Returns a text on one line: white space becomes one space, that at the ends is removed. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
