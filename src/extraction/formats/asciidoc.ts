import { convertAsciiDoc } from "../markup/asciidoc.ts";
import { markupExtractor } from "./markup.ts";

/** Reads AsciiDoc as Markdown. */
export const extractAsciiDoc = markupExtractor("asciidoc", convertAsciiDoc);
