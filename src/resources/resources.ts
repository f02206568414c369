import { collectionUri } from "../tools/mod.ts";
import { readChunk } from "./chunk.ts";
import { readCollection } from "./collection.ts";
import { completeChunk, completeDocument } from "./complete_document.ts";
import { completeCollection } from "./complete_names.ts";
import type { Complete } from "./completion.ts";
import type { ReadContext, Resources, ResourceTemplateDescription } from "./define.ts";
import { readDocument } from "./document.ts";
import { readStatus } from "./status.ts";
import { parseUri, TEMPLATES } from "./uri.ts";

const mimeType = "text/markdown";

/** Contents must not be cached: the next tool call of any client can change them. */
const TTL_MS = 0;

const templates: readonly ResourceTemplateDescription[] = [
  {
    uriTemplate: TEMPLATES.document,
    name: "document",
    title: "Document",
    description: "A document's properties and text. A long text is truncated, with a link to the rest.",
    mimeType,
  },
  {
    uriTemplate: TEMPLATES.chunk,
    name: "chunk",
    title: "Passage of a document",
    description: "One passage (chunk) as search finds it, counted from 0, with links to its neighbours.",
    mimeType,
  },
  {
    uriTemplate: TEMPLATES.collection,
    name: "collection",
    title: "Collection",
    description: "Number of documents in a collection, and a list of the 100 newest.",
    mimeType,
  },
];

/** Completions by template and variable. */
const completions: Readonly<Record<string, Readonly<Record<string, Complete>>>> = {
  [TEMPLATES.document]: { id: completeDocument },
  [TEMPLATES.chunk]: { id: completeDocument, n: completeChunk },
  [TEMPLATES.collection]: {
    name: (input, _others, context) => Promise.resolve(completeCollection(input, context)),
  },
};

/** Descriptions of the built-in collections. */
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ["documents", "Your own documents, newest first."],
  ["memory", "Notes that assistants keep to remember, newest first."],
  ["workspace", "Working notes that assistants share, newest first."],
]);

/**
 * Resources of the knowledge base as Markdown: `kb://status`, `kb://collections/{name}`,
 * `kb://documents/{id}` and `kb://documents/{id}/chunks/{n}` (MCP 2025-11-25 and 2026-07-28, "Resources").
 *
 * Completion appends the title to an `{id}` for people to read (`12~quarterly-report`).
 */
export const resources: Resources = {
  list: ({ collections }) => [
    {
      uri: TEMPLATES.status,
      name: "status",
      title: "Knowledge base status",
      description: "Number of documents by collection and type, and the state of the engine and this server.",
      mimeType,
    },
    ...collections.names.map((name) => ({
      uri: collectionUri(name),
      name: `collection-${name}`,
      title: `Collection ${name}`,
      description: DESCRIPTIONS.get(name) ?? `The documents in ${name}, newest first.`,
      mimeType,
    })),
  ],
  templates,
  read: async (uri, context) => ({
    contents: [{ uri, mimeType, text: await readText(uri, context) }],
    ttlMs: TTL_MS,
  }),
  async complete(uriTemplate, { name, value, others }, context) {
    const variables = Object.hasOwn(completions, uriTemplate) ? completions[uriTemplate] : undefined;
    if (!variables || !Object.hasOwn(variables, name)) return undefined;
    return await variables[name]?.(value, others, context);
  },
};

async function readText(uri: string, context: ReadContext): Promise<string> {
  const target = parseUri(uri);
  switch (target.type) {
    case "status":
      return await readStatus(context);
    case "collection":
      return await readCollection(uri, target.name, context);
    case "document":
      return await readDocument(uri, target.id, context);
    case "chunk":
      return await readChunk(uri, target.id, target.index, context);
  }
}
