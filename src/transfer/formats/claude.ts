/*
 * The data export of Claude: conversations.json, projects.json (or a folder of projects) and memories.json, in a zip
 * archive. Anthropic does not document it.
 */
import { MAX_NOTE_CHARS } from "../../contract/mod.ts";
import { codeBlock, type Fields, fieldsOf, listOf, metadataOf, textOf, titleOf } from "../fields.ts";
import { type Destination, ImportError, type ImportItem } from "../import_items.ts";
import type { ImportInput } from "../input.ts";
import { jsonItems } from "../json_items.ts";
import { withCollection } from "../portable_document.ts";
import { toTime } from "../times.ts";
import { isConversationsFile } from "./chatgpt.ts";
import { conversationItem, type Message } from "./conversation.ts";

const PROJECTS = /(?:^|\/)projects(?:\.json|\/[^/]+\.json)$/i;
const MEMORIES = /(?:^|\/)memories\.json$/i;

/** Options of {@linkcode readClaude}. */
export interface ClaudeDestination extends Destination {
  /** Collection of what Claude remembers of its user. */
  readonly memoryCollection: string;
}

/** Reads the conversations, the documents of projects and the memory of a Claude export. */
export async function* readClaude(
  input: ImportInput,
  destination: ClaudeDestination,
): AsyncGenerator<ImportItem> {
  let count = 0;
  const isWanted = (name: string) =>
    input.type === "file" || isConversationsFile(name) || PROJECTS.test(name) || MEMORIES.test(name);
  for await (const { name, chunks } of input.files(isWanted)) {
    // A project of a folder is a single object.
    const isObject = /(?:^|\/)projects\/[^/]+\.json$/i.test(name);
    for await (const value of jsonItems(chunks, isObject ? "$" : "$.*")) {
      yield* claudeItems(value, `${name}, item ${++count}`, destination);
    }
  }
  if (count === 0) throw new ImportError("The input has no conversations.json with conversations of Claude");
}

/** Converts a conversation, a project or the memory. @param name Its name in the report if it has no id. */
export function* claudeItems(
  value: unknown,
  name: string,
  destination: ClaudeDestination,
): Generator<ImportItem> {
  const fields = fieldsOf(value);
  if ("chat_messages" in fields) yield toConversation(fields, name, destination);
  else if ("docs" in fields || "prompt_template" in fields) yield* projectItems(fields, destination);
  else if ("conversations_memory" in fields || "project_memories" in fields) {
    yield* memoryItems(fields, destination);
  } else yield { name, skipped: "items that are not conversations, projects or memories" };
}

function toConversation(conversation: Fields, name: string, destination: Destination): ImportItem {
  const id = textOf(conversation["uuid"]);
  if (id === undefined) return { name, error: "It must have a uuid" };
  const messages = currentPath(
    listOf(conversation["chat_messages"]).map(fieldsOf),
    conversation["current_leaf_message_uuid"],
  );
  return conversationItem({
    path: `claude/${id}`,
    title: titleOf(conversation["name"]) ?? firstLine(messages),
    createdAt: toTime(conversation["created_at"]),
    updatedAt: toTime(conversation["updated_at"]),
    metadata: {
      service: "claude",
      conversation_id: id,
      url: `https://claude.ai/chat/${encodeURIComponent(id)}`,
      model: textOf(conversation["model"]),
      project: titleOf(fieldsOf(conversation["project"])["name"]),
      summary: textOf(conversation["summary"])?.slice(0, 2_000),
    },
    messages: messages.map(toMessage),
  }, destination);
}

/** Returns the branch that the user saw last, if the messages have parents; else all messages in their order. */
function currentPath(messages: readonly Fields[], leaf: unknown): readonly Fields[] {
  const byId = new Map(messages.map((message) => [message["uuid"], message]));
  const hasParents = messages.some(({ parent_message_uuid: parent }) => byId.has(parent));
  if (!hasParents) return messages;
  const path: Fields[] = [];
  const seen = new Set<Fields>();
  let message = byId.get(leaf) ?? messages.at(-1);
  while (message && !seen.has(message)) {
    seen.add(message);
    path.push(message);
    message = byId.get(message["parent_message_uuid"]);
  }
  return path.reverse();
}

function firstLine([first]: readonly Fields[]): string | undefined {
  return titleOf(first && textOf(first["text"])?.trim().split("\n", 1)[0]?.slice(0, 80));
}

function toMessage(message: Fields): Message {
  const blocks = listOf(message["content"]).map((block) => blockText(fieldsOf(block))).filter((text) =>
    text !== ""
  );
  const attachments = listOf(message["attachments"]).map(fieldsOf);
  const texts = attachments.flatMap(({ file_name, extracted_content }) => {
    const text = textOf(extracted_content);
    return text === undefined ? [] : [`Attached ${titleOf(file_name) ?? "text"}:\n\n${codeBlock(text)}`];
  });
  const files = [
    ...attachments.filter((each) => textOf(each["extracted_content"]) === undefined),
    ...listOf(message["files"]).map(fieldsOf),
  ];
  return {
    author: message["sender"] === "human" ? "User" : "Assistant",
    time: toTime(message["created_at"]),
    text: [blocks.length > 0 ? blocks.join("\n\n") : textOf(message["text"]) ?? "", ...texts].join("\n\n"),
    attachments: files.flatMap(({ file_name }) => titleOf(file_name) ?? []),
  };
}

/** Converts a content block to Markdown. Reasoning is left out. */
function blockText(block: Fields): string {
  switch (block["type"]) {
    case "thinking":
    case "redacted_thinking":
    case "token_budget":
    case "flag":
      return "";
    case "tool_use": {
      const input = fieldsOf(block["input"]);
      // Artifacts are documents that the assistant wrote.
      const written = textOf(input["content"]) ?? textOf(input["code"]);
      const shown = written ?? JSON.stringify(input, null, 2);
      const title = titleOf(input["title"]);
      return `Tool: ${titleOf(block["name"]) ?? "unknown"}${title ? `, ${title}` : ""}\n\n${
        codeBlock(shown)
      }`;
    }
    case "tool_result": {
      const { content } = block;
      const texts = typeof content === "string"
        ? [content]
        : listOf(content).flatMap((each) => textOf(fieldsOf(each)["text"]) ?? []);
      return texts.length > 0 ? codeBlock(texts.join("\n\n")) : "";
    }
    default:
      return textOf(block["text"]) ?? "";
  }
}

function* projectItems(project: Fields, { collection, tags }: Destination): Generator<ImportItem> {
  const id = textOf(project["uuid"]);
  const projectName = titleOf(project["name"]);
  const created = toTime(project["created_at"]);
  const metadata = metadataOf({
    service: "claude",
    project: projectName,
    description: titleOf(project["description"]),
  });
  const item = (
    path: string,
    title: string | undefined,
    text: unknown,
    createdAt: string | undefined,
  ): ImportItem => {
    if (textOf(text) === undefined) return { name: path, skipped: "empty documents" };
    return {
      name: path,
      document: {
        ...(title && { title }),
        doc_type: "markdown",
        text: String(text),
        source_path: path,
        tags: withCollection(tags, collection),
        ...(metadata && { metadata }),
        ...(createdAt && { created_at: createdAt }),
      },
    };
  };
  if (id === undefined) return yield { name: projectName ?? "project", error: "A project must have a uuid" };
  const prompt = project["prompt_template"];
  if (textOf(prompt)) {
    yield item(`claude/projects/${id}/instructions`, `Instructions of ${projectName ?? id}`, prompt, created);
  }
  for (const doc of listOf(project["docs"]).map(fieldsOf)) {
    const docId = textOf(doc["uuid"]) ?? textOf(doc["filename"]) ?? "document";
    yield item(
      `claude/projects/${id}/${docId}`,
      titleOf(doc["filename"]),
      doc["content"],
      toTime(doc["created_at"]) ?? created,
    );
  }
}

function* memoryItems(
  memories: Fields,
  { memoryCollection, tags }: ClaudeDestination,
): Generator<ImportItem> {
  const projects = Object.entries(fieldsOf(memories["project_memories"]));
  const all = [["", memories["conversations_memory"]] as const, ...projects];
  for (const [project, value] of all) {
    const text = textOf(value);
    const path = project === "" ? "claude/memory" : `claude/memory/${project}`;
    if (text === undefined) continue;
    yield {
      name: path,
      document: {
        title: project === "" ? "Memory of Claude" : `Memory of Claude for project ${project}`,
        doc_type: text.length <= MAX_NOTE_CHARS ? "note" : "markdown",
        text,
        source_path: path,
        tags: withCollection(tags, memoryCollection),
        metadata: { service: "claude" },
      },
    };
  }
}
