import { parseDocument, stringify } from "yaml";
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
  return stringify(value, { schema: "core", lineWidth: 0, aliasDuplicateObjects: false });
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
 * @throws {SyntaxError} If it starts with front matter that is not a YAML mapping.
 */
export function parseMarkdown(content: string): ParsedMarkdown {
  const found = /^---[ \t]*\n(?<head>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(content);
  if (!found) return { fields: {}, text: content };
  const document = parseDocument(found.groups?.head ?? "", {
    schema: "core",
    customTags: [],
    resolveKnownTags: false,
    logLevel: "silent",
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error) throw new SyntaxError(`The front matter must be valid YAML: ${error.message}`);
  // Few aliases: they can expand a line to gigabytes.
  const fields: unknown = document.toJS({ maxAliasCount: 20 });
  if (fields !== null && (typeof fields !== "object" || Array.isArray(fields))) {
    throw new SyntaxError("The front matter must be a YAML mapping, such as `title: Tea`");
  }
  const text = content.slice(found[0].length).replace(/^\n/, "").replace(/\n$/, "");
  return { fields: (fields ?? {}) as Record<string, unknown>, text };
}
