/*
 * The data export of ChatGPT: conversations.json, or conversations-000.json and so on, in a zip archive. OpenAI does not
 * document it. Each conversation has a tree of messages by id (`mapping`), of which `current_node` is the last one that
 * the user saw.
 */
import { codeBlock, type Fields, fieldsOf, listOf, textOf, titleOf } from "../fields.ts";
import { type Destination, ImportError, type ImportItem } from "../import_items.ts";
import type { ImportInput } from "../input.ts";
import { jsonItems } from "../json_items.ts";
import { toTime } from "../times.ts";
import { conversationItem, type Message } from "./conversation.ts";

/** Whether a file has conversations. */
export function isConversationsFile(name: string): boolean {
  return /(?:^|\/)conversations(?:[-_]\d+)?\.json$/i.test(name);
}

/** Reads the conversations of a ChatGPT export. */
export async function* readChatGpt(input: ImportInput, destination: Destination): AsyncGenerator<ImportItem> {
  let count = 0;
  const isWanted = (name: string) => input.type === "file" || isConversationsFile(name);
  for await (const { chunks } of input.files(isWanted)) {
    for await (const value of jsonItems(chunks)) yield chatGptItem(value, ++count, destination);
  }
  if (count === 0) throw new ImportError("The input has no conversations.json with conversations of ChatGPT");
}

/** Converts a conversation. @param number Its position, from 1. */
export function chatGptItem(value: unknown, number: number, destination: Destination): ImportItem {
  const conversation = fieldsOf(value);
  const id = textOf(conversation["conversation_id"]) ?? textOf(conversation["id"]);
  if (id === undefined) return { name: `conversation ${number}`, error: "It must have an id" };
  const path = `chatgpt/${id}`;
  const mapping = fieldsOf(conversation["mapping"]);
  if (Object.keys(mapping).length === 0) return { name: path, skipped: "conversations without messages" };
  const messages = currentPath(mapping, conversation["current_node"]);
  return conversationItem({
    path,
    title: titleOf(conversation["title"]),
    createdAt: toTime(conversation["create_time"]) ??
      messages.map(({ create_time }) => toTime(create_time)).find(Boolean),
    updatedAt: toTime(conversation["update_time"]),
    metadata: {
      service: "chatgpt",
      conversation_id: id,
      url: `https://chatgpt.com/c/${encodeURIComponent(id)}`,
      model: textOf(conversation["default_model_slug"]),
      custom_gpt: textOf(conversation["gizmo_id"]),
      archived: conversation["is_archived"] === true ? true : undefined,
    },
    messages: messages.map(toMessage).filter((message) => message !== undefined),
  }, destination);
}

/** Returns the messages from the first one to the current one. Other branches are left out. */
function currentPath(mapping: Fields, current: unknown): Fields[] {
  const path: Fields[] = [];
  const seen = new Set<string>();
  let id = typeof current === "string" && Object.hasOwn(mapping, current) ? current : latestLeaf(mapping);
  while (id !== undefined && !seen.has(id)) {
    seen.add(id);
    const node = fieldsOf(mapping[id]);
    path.push(fieldsOf(node["message"]));
    const parent = node["parent"];
    id = typeof parent === "string" && Object.hasOwn(mapping, parent) ? parent : undefined;
  }
  return path.reverse();
}

function latestLeaf(mapping: Fields): string | undefined {
  let latest: string | undefined;
  let latestTime = -Infinity;
  for (const [id, value] of Object.entries(mapping)) {
    const node = fieldsOf(value);
    if (listOf(node["children"]).length > 0) continue;
    const time = Number(fieldsOf(node["message"])["create_time"] ?? 0);
    if (time >= latestTime) [latest, latestTime] = [id, time];
  }
  return latest;
}

/** Returns undefined for messages that the user did not see. */
function toMessage(message: Fields): Message | undefined {
  const author = fieldsOf(message["author"]);
  const metadata = fieldsOf(message["metadata"]);
  const content = fieldsOf(message["content"]);
  const role = textOf(author["role"]) ?? "";
  if (role === "system" || role === "" || metadata["is_visually_hidden_from_conversation"] === true) {
    return undefined;
  }
  const recipient = textOf(message["recipient"]) ?? "all";
  const text = contentText(content, recipient);
  const attachments = listOf(metadata["attachments"]).flatMap((each) =>
    titleOf(fieldsOf(each)["name"]) ?? []
  );
  return {
    author: authorName(role, { name: author["name"], recipient }),
    time: toTime(message["create_time"]),
    text,
    attachments,
  };
}

function authorName(role: string, { name, recipient }: { name: unknown; recipient: string }): string {
  if (role === "user") return "User";
  if (role === "tool") return `Tool: ${titleOf(name) ?? "unknown"}`;
  return recipient === "all" ? "Assistant" : `Assistant to ${titleOf(recipient)}`;
}

/** Converts content to Markdown. Reasoning and custom instructions are left out. */
function contentText(content: Fields, recipient: string): string {
  const { content_type: type, text, parts } = content;
  switch (type) {
    case "thoughts":
    case "reasoning_recap":
    case "user_editable_context":
    case "model_editable_context":
      return "";
    case "code":
      return text ? codeBlock(String(text), textOf(content["language"]) ?? "") : "";
    case "execution_output":
    case "system_error":
      return text ? codeBlock(String(text)) : "";
    case "tether_quote": {
      const source = [content["title"], content["url"]].flatMap((each) => titleOf(each) ?? []).join(", ");
      return `${source}\n\n${quote(textOf(text) ?? "")}`;
    }
    case "tether_browsing_display":
      return textOf(content["result"]) ?? textOf(content["summary"]) ?? "";
    default: {
      const joined = listOf(parts).map(partText).filter((part) => part !== "").join("\n\n") || textOf(text) ||
        "";
      return recipient !== "all" && joined !== "" ? codeBlock(joined) : joined;
    }
  }
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const { content_type: type, asset_pointer, text, metadata } = fieldsOf(part);
  if (type === "audio_transcription") return textOf(text) ?? "";
  if (type === "image_asset_pointer") {
    const prompt = titleOf(fieldsOf(fieldsOf(metadata)["dalle"])["prompt"]);
    return `[Image: ${prompt ?? assetName(asset_pointer)}]`;
  }
  return typeof type === "string" && /audio|video/.test(type)
    ? `[${type.includes("video") ? "Video" : "Audio"}]`
    : textOf(text) ?? "";
}

/** `file-service://file-abc` and `sediment://file_abc` name a file of the archive that starts with `file-abc`. */
function assetName(pointer: unknown): string {
  return titleOf(pointer)?.replace(/^[a-z-]+:\/\//, "") ?? "unknown";
}

function quote(text: string): string {
  return text.split("\n").map((line) => `> ${line}`).join("\n");
}
