import { convertRst } from "../markup/rst.ts";
import { markupExtractor } from "./markup.ts";

/** Reads reStructuredText as Markdown. */
export const extractRst = markupExtractor("rst", convertRst);
