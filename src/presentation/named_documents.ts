import type { Id } from "../contract/mod.ts";
import { oneLine } from "../text/mod.ts";

/**
 * Maximum number of documents. Clients write the link of each one into the model's context, about 15 tokens: Claude Code
 * 2.0 as `[Resource link: name] uri`, Gemini CLI as `Resource Link: name at uri`. The JSON has all ids.
 */
const MAX_DOCUMENTS = 3;
/** Maximum length of a name in UTF-16 code units. The output itself has the whole title. */
const MAX_NAME_LENGTH = 60;

/** Fields of a document or search result that its name is taken from. */
export interface NameableDocument {
  readonly document_id?: Id | undefined;
  readonly title?: unknown;
  readonly source_path?: unknown;
  /** The start of it names a note whose title is left out. */
  readonly text?: unknown;
}

/** A document with the name that its link has. */
export interface NamedDocument {
  readonly id: string;
  readonly name: string;
}

/** Returns the first documents of an output, in order and without duplicates. */
export function nameDocuments(documents: Iterable<NameableDocument>): NamedDocument[] {
  const named = new Map<string, NamedDocument>();
  for (const { document_id, title, source_path, text } of documents) {
    const id = String(document_id ?? "");
    // An unpaired surrogate has no percent-encoding.
    if (id === "" || named.has(id) || !id.isWellFormed()) continue;
    if (named.size === MAX_DOCUMENTS) break;
    const name = nameOf(title) ?? nameOf(source_path) ?? nameOf(text) ??
      `Document ${oneLine(id, MAX_NAME_LENGTH)}`;
    named.set(id, { id, name });
  }
  return [...named.values()];
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" ? oneLine(value, MAX_NAME_LENGTH) || undefined : undefined;
}
