import { type FrontMatter, frontMatterBlock, loadFrontMatter, parseMapping } from "./front_matter.ts";
import { MAX_METADATA_CHARS } from "./limits.ts";

/** Maximum number of fields that are read one by one. */
const MAX_FIELDS = 100;
/** Maximum length of a value that is read as plain text. */
const MAX_PLAIN_CHARS = 2000;

/** A field: the line of its key, and the lines below that belong to its value. */
interface Field {
  readonly key: string;
  readonly value: string;
  readonly rest: string[];
}

/**
 * Reads front matter that is not valid YAML, such as `title: Deploy: a guide`, field by field. A value that is no
 * valid YAML by itself is text. Of two fields with the same key, the last one counts.
 *
 * @param text Text with `\n` line ends.
 * @returns `undefined` for a block that is not clearly front matter: each line must belong to a field, and one of them
 * must be a title or tags.
 *
 * @example
 * ```ts
 * import { repairFrontMatter } from "./repair_front_matter.ts";
 * import { assertEquals } from "@std/assert";
 * const found = await repairFrontMatter("---\ntitle: Deploy: a guide\n---\nText");
 * assertEquals(found?.metadata, { title: "Deploy: a guide" });
 * ```
 */
export async function repairFrontMatter(text: string): Promise<FrontMatter | undefined> {
  const block = frontMatterBlock(text);
  const fields = block?.language === "yaml" ? splitFields(block.source) : undefined;
  if (!fields?.some(({ key }) => key === "title" || key === "tags")) return undefined;
  await loadFrontMatter();
  const values = new Map<string, unknown>();
  for (const field of fields) {
    const value = readField(field);
    if (value === undefined) return undefined;
    values.set(field.key, value);
  }
  const metadata = Object.fromEntries(values);
  if (JSON.stringify(metadata).length > MAX_METADATA_CHARS) return undefined;
  return { metadata, body: block!.body };
}

/** Divides lines into fields; undefined if a line belongs to none, or if there are too many. */
function splitFields(source: string): Field[] | undefined {
  const fields: Field[] = [];
  for (const line of source.split("\n")) {
    const [, key, value] = /^([\p{L}_][\p{L}\p{N}_.-]{0,63})[ \t]*:(?:[ \t](.*))?$/u.exec(line) ?? [];
    if (key !== undefined) {
      fields.push({ key, value: value?.trim() ?? "", rest: [] });
      if (fields.length > MAX_FIELDS) return undefined;
    } else if (line.trim() === "" || line.startsWith("#")) {
      fields.at(-1)?.rest.push("");
    } else {
      const field = fields.at(-1);
      if (!field || !/^(?:[ \t]|-[ \t]|[\]}])/.test(line)) return undefined;
      field.rest.push(line);
    }
  }
  return fields;
}

/** Returns the value of a field; undefined if it is too long for plain text. */
function readField({ value, rest }: Field): unknown {
  // YAML allows no tabs in indentation.
  const below = rest.map((line) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll("\t", "  ")));
  const parse = (source: string) => parseMapping(`value: ${[source, ...below].join("\n")}\n`)?.["value"];
  let parsed = parse(value);
  if (parsed === undefined && value.startsWith("[")) parsed = parse(`${value}]`);
  // A value such as "#a, #b" is a comment for YAML.
  if (parsed !== undefined && (parsed !== null || !value.startsWith("#"))) return parsed;
  const lines = below.map((line) => line.trim()).filter((line) => line !== "");
  if (value === "" && lines.every((line) => /^-(?:\s|$)/.test(line))) {
    return lines.map((line) => line.slice(1).trim());
  }
  const plain = [value, ...lines].join(" ").trim();
  if (plain.length > MAX_PLAIN_CHARS) return undefined;
  // A quotation mark without its other one.
  return /^["'][^"']*$/.test(plain) ? plain.slice(1) : plain;
}
