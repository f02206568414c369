import { documentTitle } from "../document_title.ts";
import { ExtractionError, noText } from "../errors.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { OdfConverter } from "../odf/converter.ts";
import { OdfPackage } from "../odf/package.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import type { XmlElement } from "../xml/element.ts";
import { unreadableXml } from "../xml/read_xml.ts";

/** Texts for the footers of slides, which appear once. */
const DECLARATIONS = /^presentation:(?:header|footer)-decl$/;

/** Converts an OpenDocument presentation to Markdown: one page per slide, with its notes. */
export async function extractOdp(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await OdfPackage.open(file, name);
  const writer = new MarkdownWriter(name, context.maxTextChars);
  let slides = 0;
  try {
    const converter = new OdfConverter(source, writer);
    const root = source.read("content.xml", {
      blocks: new Set(["draw:page"]),
      onBlock: (slide, ancestors) => {
        if (slides++ === 0) converter.styles.add(ancestors[0]);
        writer.startPage();
        convertSlide(slide, slides, { converter, writer });
      },
    });
    for (const declaration of root?.path("office:body", "office:presentation")?.elements ?? []) {
      if (DECLARATIONS.test(declaration.name)) writer.paragraph(declaration.text);
    }
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw unreadableXml(
      name,
      "it is not a valid OpenDocument presentation. Open it in LibreOffice, save it again and upload that",
      error,
    );
  }
  const { text, firstHeading } = writer;
  if (text.replace(/^#+ Slide \d+$/gm, "").trim() === "") {
    throw noText(
      name,
      "its slides hold only pictures, or nothing at all",
      "export it as PDF with OCR and upload that",
    );
  }
  const metadata = source.readMetadata();
  return {
    docType: "odp",
    title: documentTitle(metadata["title"], file.filename) ??
      (firstHeading === "Slide 1" ? undefined : firstHeading),
    text,
    markup: "markdown",
    pageStarts: writer.pageStarts,
    metadata: { ...metadata, slides },
    tags: [],
  };
}

function convertSlide(
  slide: XmlElement,
  number: number,
  { converter, writer }: { converter: OdfConverter; writer: MarkdownWriter },
): void {
  const title = slide.elements.find((shape) => shape.get("presentation:class") === "title");
  const words = title ? converter.plainText(title) : "";
  // Without a heading of its own, the text would belong to the slide before.
  writer.heading(number === 1 ? 1 : 2, words === "" ? `Slide ${number}` : words);
  for (const shape of slide.elements) {
    if (shape === title || isGenerated(shape)) continue;
    if (shape.name === "presentation:notes") {
      const notes = shape.elements.filter((frame) => frame.get("presentation:class") === "notes");
      const text = notes.map((frame) => converter.plainText(frame)).join("\n").trim();
      if (text !== "") writer.quote(`Notes: ${text}`);
    } else if (/^(?:draw:|office:annotation|table:table|dr3d:)/.test(shape.name)) {
      converter.block(shape);
    }
  }
  converter.finish();
}

/** Whether a shape shows the number of the slide, the date or a footer, which follows once at the end. */
function isGenerated(shape: XmlElement): boolean {
  return /^(?:page-number|date-time|page|footer|header)$/.test(shape.get("presentation:class") ?? "");
}
