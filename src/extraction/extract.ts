import { detect } from "./detect.ts";
import { damaged, displayName, noText, unsupported } from "./failures.ts";
import { extensionOf } from "./detect.ts";
import { nameArchive } from "./signatures.ts";
import type { ExtractedText, SourceFile } from "./types.ts";
import { listZip } from "./zip.ts";

/**
 * The text of a file.
 *
 * Each format's parser is loaded when the first file of that format comes. A parser may take minutes over a hostile
 * file, so this belongs on a thread that can be ended, with a deadline.
 *
 * @param file The file. Its bytes belong to this function from now on: the PDF parser detaches them.
 * @throws {ExtractionError} `unsupported_type` (what it looks like, what is supported), `no_text`, `too_large` (limits.ts) or
 * `damaged` (also: protected with a password); the parser's own error is its cause.
 *
 * @example
 * ```ts
 * import { extract } from "./extract.ts";
 * import { assertEquals } from "@std/assert";
 * const bytes = new TextEncoder().encode("---\ntags: [garden]\n---\n# Plants\n\nWater them.\n");
 * const { docType, title, tags, text } = await extract({ bytes, filename: "plants.md", contentType: undefined });
 * assertEquals([docType, title, tags], ["markdown", "Plants", ["garden"]]);
 * assertEquals(text, "# Plants\n\nWater them.\n");
 * ```
 */
export async function extract(file: SourceFile): Promise<ExtractedText> {
  const name = displayName(file.filename);
  if (file.bytes.length === 0) throw noText(name, "it is empty", "upload it again with its content");
  const detection = detect(file);
  if ("unsupported" in detection) throw unsupported(name, detection.unsupported);
  if ("mismatch" in detection) throw damaged(name, `${detection.mismatch}. Upload the original file`);
  switch (detection.format) {
    case "pdf":
      return await (await import("./formats/pdf.ts")).extractPdf(file, name);
    case "zip":
      return await extractArchive(file, name);
    case "html":
      return await (await import("./formats/html.ts")).extractHtml(file, name);
    case "markdown":
      return await (await import("./formats/markdown.ts")).extractMarkdown(file, name);
    case "text":
      return await (await import("./formats/plain_text.ts")).extractPlainText(file, name);
  }
}

async function extractArchive(file: SourceFile, name: string): Promise<ExtractedText> {
  const entries = await listZip(file.bytes, name);
  const kind = nameArchive(entries.map((entry) => entry.name), extensionOf(file.filename));
  if (kind !== "docx") throw unsupported(name, kind);
  return await (await import("./formats/docx.ts")).extractDocx(file, name, entries);
}
