import { convertOrg } from "../markup/org.ts";
import { markupExtractor } from "./markup.ts";

/** Reads Org as Markdown. */
export const extractOrg = markupExtractor("org", convertOrg);
