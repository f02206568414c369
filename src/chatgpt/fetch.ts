import * as z from "zod";
import type { Document } from "../contract/mod.ts";
import { splitTags } from "../collections/mod.ts";
import { visibleText } from "../text/mod.ts";
import { defineTool, joinChunks } from "../tools/mod.ts";
import { citationUrl, titleOf } from "./citation.ts";

/** Maximum number of chunks in a text. One request reads them, so they belong to one state of the document. */
const MAX_CHUNKS = 1_000;
/** Maximum length of a text in UTF-16 code units: about 250,000 tokens. */
const MAX_CHARS = 1_000_000;

/** Returns a document with its whole text. */
export const fetchDocument = defineTool({
  name: "fetch",
  title: "Fetch a document",
  description: `Fetch the full text of a document, with its title, URL and metadata.

Use this tool when you need to:
- Read or cite a document that search returned`,
  scope: "read",
  input: z.strictObject({ id: z.string().min(1).max(200).describe("From search.") }),
  output: z.strictObject({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.record(z.string(), z.string()),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ id }, { engine, signal }) {
    const document = await engine.document(id, { offset: 0, limit: MAX_CHUNKS }, { signal });
    const { chunks = [], chunks_total: total = chunks.length } = document;
    // Joining uses offsets, so hidden characters are removed after it.
    const joined = joinChunks(chunks);
    const isCut = chunks.length < total || joined.length > MAX_CHARS;
    return {
      id: String(document.document_id),
      title: titleOf(document),
      text: visibleText(joined.slice(0, MAX_CHARS)).toWellFormed(),
      url: visibleText(citationUrl(document)),
      metadata: { ...metadataOf(document), ...(isCut ? { truncated: "true" } : {}) },
    };
  },
});

/** Returns the properties of a document that have a value, as text. */
function metadataOf(
  { doc_type, source_path, created_at, updated_at, tags }: Document,
): Record<string, string> {
  const { collection, tags: own } = splitTags(tags);
  const fields = { collection, doc_type, source_path, tags: own.join(", "), created_at, updated_at };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => value ? [[name, visibleText(value)]] : []),
  );
}
