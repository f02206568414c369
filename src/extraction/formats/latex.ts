import { convertLatex } from "../markup/latex.ts";
import { markupExtractor } from "./markup.ts";

/** Reads LaTeX as Markdown. */
export const extractLatex = markupExtractor("latex", convertLatex);
