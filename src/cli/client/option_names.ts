/** Options and arguments of commands by the fields of the engine's API that they set. */
const OPTIONS: Readonly<Record<string, string>> = {
  "replace.old": "--find",
  "replace.new": "--replace",
  "section.heading": "--section",
  "section.text": "--with",
  add_tags: "--add-tags",
  remove_tags: "--remove-tags",
  append: "--append",
  prepend: "--prepend",
  title: "--title",
  source_path: "--path",
  metadata: "--metadata",
  tags: "--tags",
  tags_any: "--tags-any",
  tags_none: "--tags-none",
  doc_type: "--type",
  language: "--language",
  cursor: "--cursor",
  document_id: "--document",
  query: "QUERY",
};

/** Advice of the engine that names fields. */
const ADVICE: readonly (readonly [advice: string, withOptions: string])[] = [
  ["use replace, append or prepend", "use --find, --append or --prepend"],
  ["use replace with a passage", "use --find with a passage"],
  ["must be the next_cursor of the previous page", "must be the cursor that the previous page ended with"],
];

/** A field at the start of a problem, with the index of an item of a list or the name of a metadata field. */
const FIELD = /(^|; )([a-z_]+(?:\.[\w-]+)*)(?= (?:must|is|has|") ?)/g;

/**
 * Rewrites the message of an input that the engine refuses for a person at a shell, who has given options.
 *
 * @example
 * ```ts
 * import { nameOptions } from "./option_names.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(nameOptions("replace.old is not in the note"), "--find is not in the note");
 * ```
 */
export function nameOptions(message: string): string {
  const named = message.replaceAll(FIELD, (found, start: string, field: string) => {
    const option = OPTIONS[field] ?? OPTIONS[field.split(".")[0]!];
    return option === undefined ? found : start + option;
  });
  return ADVICE.reduce((text, [advice, withOptions]) => text.replace(advice, withOptions), named);
}
