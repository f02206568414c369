/**
 * Escapes heading and fence markers at the start of lines of a paragraph. Inline markers stay, so that search finds
 * names such as `my_long_name`.
 */
export function escapeBlocks(text: string): string {
  return text.replace(/^(\s*)(#{1,6}\s|```|~~~)/gm, "$1\\$2");
}
