import type * as z from "zod";
import type { NewSourceFile } from "../../contract/mod.ts";
import { formatFrontMatter } from "../../extraction/mod.ts";

/** Maximum length of the title in a file name, in UTF-16 code units. */
const MAX_SLUG_CHARS = 80;

/** Marks by which emoji differ from other characters, as in ❤️ and 1️⃣: names would keep them without a character. */
const EMOJI_PARTS = /[\ufe0e\ufe0f\u20e3]/g;

/** Returns the content of a new file: YAML front matter, and the text. */
export async function newFileContent(
  { title, text, tags, metadata }: z.output<typeof NewSourceFile>,
  date: string,
): Promise<string> {
  const fields = { title, date, ...(tags.length > 0 && { tags }), ...withoutReserved(metadata) };
  return `${await formatFrontMatter(fields)}\n${text.trimEnd()}\n`;
}

/** Title, date and tags have parameters of their own. */
function withoutReserved(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { title: _, date: __, tags: ___, ...rest } = metadata;
  return rest;
}

/**
 * Yields names for a new file: `2026-11-22-title.md`, then with `-2` and so on.
 *
 * @example
 * ```ts
 * import { newFileNames } from "./new_file.ts";
 * import { assertEquals } from "@std/assert";
 * const [first, second] = newFileNames("Über: alles!", "2026-11-22");
 * assertEquals([first, second], ["2026-11-22-über-alles.md", "2026-11-22-über-alles-2.md"]);
 * ```
 */
export function* newFileNames(title: string, date: string): Generator<string> {
  const words =
    title.normalize("NFC").toLowerCase().replace(EMOJI_PARTS, "").match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ??
      [];
  const slug = words.join("-").slice(0, MAX_SLUG_CHARS).toWellFormed().replace(/[-\ufffd]+$/, "") || "note";
  for (let n = 1; n <= 1000; n++) yield `${date}-${slug}${n === 1 ? "" : `-${n}`}.md`;
}
