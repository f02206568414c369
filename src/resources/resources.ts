import { collectionUri } from "../tools/mod.ts";
import { readChunk } from "./chunk.ts";
import { readCollection } from "./collection.ts";
import { completeChunk } from "./complete_chunk.ts";
import { completeDocument } from "./complete_document.ts";
import { completeCollection } from "./complete_names.ts";
import type { ReadContext, Resources, ResourceTemplateDescription } from "./define.ts";
import { readDocument } from "./document.ts";
import { FORMS, parseUri } from "./parse_uri.ts";
import { readStatus } from "./status.ts";
import type { Complete } from "./values.ts";

const mimeType = "text/markdown";

/** Nothing may be kept: the next tool call, of any client, can change what is read here. */
const TTL_MS = 0;

const templates: readonly ResourceTemplateDescription[] = [
  {
    uriTemplate: FORMS.document,
    name: "document",
    title: "Document",
    description:
      "A document's details and its whole text. A long one is cut, with a link to where it goes on.",
    mimeType,
  },
  {
    uriTemplate: FORMS.chunk,
    name: "chunk",
    title: "Passage of a document",
    description:
      "One passage (chunk) as search finds it, counted from 0, with links to the ones before and after it.",
    mimeType,
  },
  {
    uriTemplate: FORMS.collection,
    name: "collection",
    title: "Collection",
    description: "What a collection holds: how many documents, and a list of the newest 100.",
    mimeType,
  },
];

/** What completes a variable of a template. */
const completions: Readonly<Record<string, Readonly<Record<string, Complete>>>> = {
  [FORMS.document]: { id: completeDocument },
  [FORMS.chunk]: { id: completeDocument, n: completeChunk },
  [FORMS.collection]: {
    name: (typed, _others, context) => Promise.resolve(completeCollection(typed, context)),
  },
};

/** The built-in collections in a user's words. */
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ["documents", "Your own documents, newest first."],
  ["memory", "What assistants have written down to remember, newest first."],
  ["workspace", "Scratch notes that assistants share, newest first."],
]);

/**
 * Everything in the knowledge base that can be read by URI, as Markdown: `kb://status`, `kb://collections/{name}`,
 * `kb://documents/{id}` and `kb://documents/{id}/chunks/{n}` (MCP 2025-11-25 and 2026-07-28, "Resources").
 *
 * An `{id}` may have a slug behind it (`12~quarterly-report`), which completion puts there for people to read.
 */
export const resources: Resources = {
  list: ({ collections }) => [
    {
      uri: FORMS.status,
      name: "status",
      title: "Knowledge base status",
      description:
        "What the knowledge base holds, by collection and type, and how its engine and this server do.",
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
  switch (target.kind) {
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
