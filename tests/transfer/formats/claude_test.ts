import { assertEquals } from "@std/assert";
import { readClaude } from "../../../src/transfer/formats/claude.ts";
import { ImportInput } from "../../../src/transfer/input.ts";
import { DESTINATION, readItems, withFiles } from "./read_items.ts";

const CONVERSATION = {
  uuid: "c1",
  name: "",
  created_at: "2024-03-31T07:00:00.123456Z",
  updated_at: "2024-03-31T08:00:00.000000Z",
  chat_messages: [
    {
      uuid: "m1",
      text: "Summarize this",
      content: [{ type: "text", text: "Summarize this" }],
      sender: "human",
      created_at: "2024-03-31T07:00:00.123456Z",
      attachments: [{ file_name: "notes.txt", extracted_content: "Tea\nMilk" }],
      files: [{ file_name: "photo.png" }],
    },
    { uuid: "old", parent_message_uuid: "m1", sender: "assistant", text: "An abandoned branch", content: [] },
    {
      uuid: "m2",
      parent_message_uuid: "m1",
      sender: "assistant",
      text: "",
      content: [
        { type: "thinking", thinking: "secret" },
        { type: "tool_use", name: "artifacts", input: { title: "List", content: "# Drinks" } },
        { type: "tool_result", content: [{ type: "text", text: "OK" }] },
        { type: "text", text: "Two drinks." },
      ],
      attachments: [],
      files: [],
    },
  ],
};

Deno.test("a Claude export gives conversations, documents of projects and the memory", async () => {
  const project = {
    uuid: "p1",
    name: "Kitchen",
    prompt_template: "Be brief.",
    created_at: "2024-01-01T00:00:00Z",
    docs: [{ uuid: "d1", filename: "plan.md", content: "# Plan", created_at: "2024-02-01T00:00:00Z" }],
  };
  await withFiles({
    "conversations.json": JSON.stringify([CONVERSATION, { uuid: "c2", chat_messages: [] }]),
    "projects.json": JSON.stringify([project]),
    "projects/p2.json": JSON.stringify({ ...project, uuid: "p2", prompt_template: "" }),
    "memories.json": JSON.stringify([{
      conversations_memory: "Likes tea.",
      project_memories: { p1: "Short." },
    }]),
    "users.json": "[]",
  }, async (root) => {
    const input = await ImportInput.open(root);
    const { documents, skipped, errors } = await readItems(readClaude(input, DESTINATION));
    assertEquals(errors, {});
    assertEquals(Object.keys(skipped), ["claude/c2"]);
    assertEquals(Object.keys(documents).sort(), [
      "claude/c1",
      "claude/memory",
      "claude/memory/p1",
      "claude/projects/p1/d1",
      "claude/projects/p1/instructions",
      "claude/projects/p2/d1",
    ]);
    const conversation = documents["claude/c1"]!;
    assertEquals(conversation.title, "Summarize this");
    assertEquals(
      conversation.text,
      [
        "## User (2024-03-31 07:00)\n\nSummarize this\n\nAttached notes.txt:\n\n```\nTea\nMilk\n```\n\nAttached: photo.png",
        "## Assistant\n\nTool: artifacts, List\n\n```\n# Drinks\n```\n\n```\nOK\n```\n\nTwo drinks.",
      ].join("\n\n"),
    );
    assertEquals(conversation.created_at, "2024-03-31T07:00:00.123Z");
    assertEquals(documents["claude/projects/p1/d1"]?.created_at, "2024-02-01T00:00:00.000Z");
    assertEquals(documents["claude/memory"]?.tags, ["collection:memory", "imported"]);
  });
});
