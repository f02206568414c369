import { stringify } from "yaml";
import { loadFrontMatter, readFrontMatterSync } from "../../extraction/mod.ts";
import { collectionIn, plainTags, type PortableDocument } from "../portable_document.ts";

/**
 * Maximum length of the metadata in front matter, as YAML in UTF-16 code units. Longer metadata is in the manifest
 * only, since programs that read front matter limit it.
 */
const MAX_METADATA_CHARS = 12_000;

/** A document as a Markdown file with front matter. */
export interface MarkdownFile {
  readonly content: string;
  /** Whether the front matter has the metadata of the document. */
  readonly hasMetadata: boolean;
}

/**
 * Writes a document as Markdown with YAML front matter. The text follows unchanged, after an empty line and before one
 * line break.
 *
 * @example
 * ```ts
 * import { renderMarkdown } from "./markdown_file.ts";
 * import { assertEquals } from "@std/assert";
 * const { content } = renderMarkdown(
 *   { title: "Tea", doc_type: "note", text: "Green tea.", tags: ["collection:memory", "kitchen"] },
 *   { language: "en" },
 * );
 * assertEquals(
 *   content,
 *   "---\ntitle: Tea\nkind: note\ncollection: memory\ntags:\n  - kitchen\nlanguage: en\n---\n\nGreen tea.\n",
 * );
 * ```
 */
export function renderMarkdown(
  document: PortableDocument,
  { language }: { readonly language: string | null },
): MarkdownFile {
  const { metadata } = document;
  const hasMetadata = !metadata || yaml({ metadata }).length <= MAX_METADATA_CHARS;
  const tags = plainTags(document.tags);
  const fields = {
    id: document.document_id,
    title: document.title,
    kind: document.doc_type,
    collection: collectionIn(document.tags),
    tags: tags.length > 0 ? tags : undefined,
    source_path: document.source_path,
    source: document.source ?? undefined,
    language: language ?? undefined,
    version: document.version ?? undefined,
    created_at: document.created_at ?? undefined,
    updated_at: document.updated_at ?? undefined,
    metadata: metadata && hasMetadata ? metadata : undefined,
  };
  const defined = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { content: `---\n${yaml(defined)}---\n\n${document.text}\n`, hasMetadata };
}

/** No line of the result is `---`, since all values of several lines are indented. */
function yaml(value: unknown): string {
  return stringify(value, {
    schema: "core",
    lineWidth: 0,
    aliasDuplicateObjects: false,
    // Over several lines, yaml 2.9.1 writes a backslash for a line that is a space.
    doubleQuotedMinMultiLineLength: Infinity,
  });
}

/** Returns the text of a file that {@linkcode renderMarkdown} wrote. */
export function textOf(content: string): string {
  return content.slice(content.indexOf("\n---\n\n") + 6, -1);
}

/** A Markdown file that may have been edited. */
export interface ParsedMarkdown {
  /** Fields of the front matter; empty without any. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/**
 * Reads a Markdown file that a person may have written or edited.
 *
 * @param content Text with `\n` line ends.
 * @throws {SyntaxError} If it starts with front matter that is too long, or not a YAML mapping.
 */
export async function parseMarkdown(content: string): Promise<ParsedMarkdown> {
  if (!/^---[ \t]*\n/.test(content)) return { fields: {}, text: content };
  await loadFrontMatter();
  const found = readFrontMatterSync(content);
  if (!found) {
    throw new SyntaxError(
      "The front matter must be a YAML mapping, such as `title: Tea`, of at most 16,384 characters",
    );
  }
  return { fields: found.metadata, text: found.body.replace(/^[ \t]*\n\n?/, "").replace(/\n$/, "") };
}
