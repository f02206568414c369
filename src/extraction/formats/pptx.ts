import { documentTitle } from "../document_title.ts";
import { ExtractionError, noText } from "../errors.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { OoxmlPackage } from "../ooxml/package.ts";
import { readCoreProperties } from "../ooxml/properties.ts";
import { SlideConverter } from "../ooxml/slides/converter.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { unreadableXml } from "../xml/read_xml.ts";

/** Converts a presentation to Markdown: one page per slide, with its notes, comments, tables and charts. */
export async function extractPptx(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await OoxmlPackage.open(file, name);
  const path = source.mainPart(name, "ppt/presentation.xml");
  const writer = new MarkdownWriter(name, context.maxTextChars);
  let slides: string[];
  try {
    slides = slidePaths(source, path);
    const converter = new SlideConverter(source, writer);
    slides.forEach((slide, index) => {
      converter.slide(slide, index + 1);
      context.onProgress({ unit: "pages", done: index + 1, total: slides.length });
    });
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw unreadableXml(
      name,
      "it is not a valid presentation. Open it in PowerPoint, save it again and upload that",
      error,
    );
  }
  const { text } = writer;
  if (text.replace(/^#+ Slide \d+$/gm, "").trim() === "") {
    throw noText(
      name,
      "its slides hold only pictures, or nothing at all",
      "export it as PDF with OCR and upload that",
    );
  }
  const metadata = readCoreProperties(source);
  const heading = writer.firstHeading;
  return {
    docType: "pptx",
    title: documentTitle(metadata["title"], file.filename) ?? (heading === "Slide 1" ? undefined : heading),
    text,
    markup: "markdown",
    pageStarts: writer.pageStarts,
    metadata: { ...metadata, slides: slides.length },
    tags: [],
  };
}

/** Returns the paths of the slides in their order, hidden ones too. */
function slidePaths(source: OoxmlPackage, path: string): string[] {
  const relationships = source.relationships(path);
  const ids = source.read(path)?.child("p:sldIdLst")?.elements ?? [];
  const targets = ids.map((slide) => relationships.get(slide.get("r:id") ?? "")?.target);
  // A file that lists a slide many times would be read as often.
  return [...new Set(targets.filter((target) => target !== undefined))];
}
