import { codeOutline } from "../code/outline.ts";
import { extensionOf } from "../extension.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Extensions of the languages that a `#!` line names. */
const INTERPRETERS: readonly (readonly [RegExp, string])[] = [
  [/^#!.*\bpython/, "py"],
  [/^#!.*\b(?:node|deno|bun)\b/, "js"],
  [/^#!.*\bruby/, "rb"],
  [/^#!.*\bperl/, "pl"],
  [/^#!.*\b(?:ba|z|da)?sh\b/, "sh"],
];

/** Reads source code as it is. Its functions and classes are the headings of the chunks. */
export async function extractCode(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const source = await readText(file, context);
  const { text } = source;
  const extension = extensionOf(file.filename) ||
    (INTERPRETERS.find(([pattern]) => pattern.test(text))?.[1] ?? "");
  const outline = codeOutline(text, extension);
  return textDocument({
    docType: "code",
    title: undefined,
    text,
    markup: "plain",
    ...(outline.length > 0 && { outline }),
  }, source);
}
