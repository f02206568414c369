/**
 * Formats fields as YAML front matter, which reads back as the same values.
 *
 * @returns The block between its two `---` lines, with a line end.
 *
 * @example
 * ```ts
 * import { formatFrontMatter } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(await formatFrontMatter({ title: "A: b", tags: ["x"] }), '---\ntitle: "A: b"\ntags:\n  - x\n---\n');
 * ```
 */
export async function formatFrontMatter(fields: Readonly<Record<string, unknown>>): Promise<string> {
  const { stringify } = await import("./yaml.ts");
  return `---\n${stringify(fields, { aliasDuplicateObjects: false, lineWidth: 0 })}---\n`;
}
