import { DETECTION_BYTES } from "../detect.ts";
import { noText } from "../errors.ts";
import { convertMan } from "../man/convert.ts";
import { isManPage } from "../man/is_man_page.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { markupExtractor } from "./markup.ts";
import { extractPlainText } from "./plain_text.ts";

const extractPage = markupExtractor("man", convertMan);

/** A page that consists of another one, between comments. */
const LINK = /^(?:[.']\\"[^\n]*\n)*\.so[ \t]+(\S{1,200})[ \t]*\n?(?:[.']\\"[^\n]*\n)*\s*$/;
/** Maximum size of such a page in bytes. */
const MAX_LINK_BYTES = 4_096;

/** Reads a manual page as Markdown. A file with the extension that is none is plain text. */
export async function extractMan(
  file: SourceFile,
  context: ExtractionContext,
): Promise<ExtractedText | null> {
  const head = new TextDecoder("latin1").decode(file.bytes.subarray(0, DETECTION_BYTES));
  if (!isManPage(head)) return await extractPlainText(file, context);
  const link = head.length > MAX_LINK_BYTES ? undefined : LINK.exec(head.replaceAll("\r", ""))?.[1];
  if (link !== undefined) throw noText(context.name, `it only refers to ${link}`, "upload that page");
  return await extractPage(file, context);
}
