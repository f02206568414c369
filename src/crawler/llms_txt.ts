/** Maximum number of links of a file. */
const MAX_LINKS = 10_000;

/** An item of a file list: `- [Name](url): notes`. */
const LINK_ITEM = /^[ \t]{0,8}[-*+][ \t]{1,8}\[[^\]\n]{1,500}\]\([ \t]*<?([^)>\s]{1,2000})>?[ \t]*\)/gm;

/**
 * Returns the links of an `llms.txt` (llmstxt.org), absolute and in their order.
 *
 * The file is Markdown: a heading with the name of the project, then lists of links below second-level
 * headings.
 *
 * @param url URL of the file; relative links refer to it.
 * @returns undefined for another kind of text, such as an HTML page in the place of the file.
 *
 * @example
 * ```ts
 * import { parseLlmsTxt } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const links = parseLlmsTxt("# Deno\n\n## Docs\n\n- [Start](start.md): first", new URL("https://docs.test/llms.txt"));
 * assertEquals(links, ["https://docs.test/start.md"]);
 * ```
 */
export function parseLlmsTxt(text: string, url: URL): string[] | undefined {
  if (!/^\ufeff?\s*#[ \t]+\S/.test(text)) return undefined;
  const links = new Set<string>();
  for (const [, target = ""] of text.matchAll(LINK_ITEM)) {
    const link = URL.parse(target, url);
    if (link) links.add(link.href);
    if (links.size >= MAX_LINKS) break;
  }
  return [...links];
}
