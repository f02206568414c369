import { MAX_TITLE_CHARS } from "../contract/mod.ts";
import { scanBlocks } from "./chunking/blocks.ts";
import { normalizeText } from "./normalize.ts";
import { headingTitle } from "./title.ts";

/** A title as a document gives it, on one line and cut to what a title may have; undefined if nothing is left. */
export function cleanTitle(title: unknown): string | undefined {
  if (typeof title !== "string" && typeof title !== "number") return undefined;
  const words = normalizeText(String(title).slice(0, 4 * MAX_TITLE_CHARS)).replace(/\s+/g, " ").trim();
  return words.slice(0, MAX_TITLE_CHARS).trim().replace(/[\ud800-\udbff]$/, "") || undefined;
}

/** The words of the first heading of a Markdown text. */
export function firstHeading(text: string): string | undefined {
  for (const block of scanBlocks(text, 0, text.length, "markdown")) {
    const title = block.kind === "heading" ? headingTitle(text.slice(block.titleStart, block.titleEnd)) : "";
    if (title !== "") return title;
  }
  return undefined;
}
