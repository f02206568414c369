import type { ImportItem } from "../import_items.ts";
import type { Destination } from "../import_items.ts";
import { metadataOf, tagsOf } from "../fields.ts";
import { withCollection } from "../portable_document.ts";

/** A message of a conversation, in Markdown. */
export interface Message {
  /** Who wrote it: `User`, `Assistant`, `Tool: name`. */
  readonly author: string;
  /** Time in RFC 3339. */
  readonly time: string | undefined;
  readonly text: string;
  /** Names of attached files. */
  readonly attachments: readonly string[];
}

/** A conversation with an assistant. */
export interface Conversation {
  /** Name in the report and, with the service, path of the document: `chatgpt/ID`. */
  readonly path: string;
  readonly title: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly messages: readonly Message[];
}

/** Converts a conversation to a document with a section for each message. */
export function conversationItem(conversation: Conversation, { collection, tags }: Destination): ImportItem {
  const { path, title, createdAt, updatedAt, metadata, messages } = conversation;
  const sections = messages.filter(({ text, attachments }) => text.trim() !== "" || attachments.length > 0)
    .map(toSection);
  if (sections.length === 0) return { name: path, skipped: "conversations without messages" };
  const fields = metadataOf(metadata);
  return {
    name: path,
    document: {
      title: title ?? "Untitled conversation",
      doc_type: "markdown",
      text: sections.join("\n\n"),
      source_path: path,
      tags: withCollection(tagsOf(tags), collection),
      ...(fields && { metadata: fields }),
      ...(createdAt && { created_at: createdAt }),
      // A conversation that was never continued has no change.
      ...(updatedAt && updatedAt !== createdAt && { updated_at: updatedAt }),
    },
  };
}

function toSection({ author, time, text, attachments }: Message): string {
  const heading = time === undefined ? author : `${author} (${time.slice(0, 16).replace("T", " ")})`;
  const files = attachments.length > 0 ? `Attached: ${attachments.join(", ")}` : "";
  return [`## ${heading.replace(/\s+/g, " ")}`, text.trim(), files].filter((part) => part !== "").join(
    "\n\n",
  );
}
