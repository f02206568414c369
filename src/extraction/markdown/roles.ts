/** Role of a paragraph by its style: a heading of level 1 to 9, a line of a table of contents or of code, or text. */
export type ParagraphRole =
  | { readonly kind: "heading"; readonly level: number }
  | { readonly kind: "contents" | "code" | "body" };
