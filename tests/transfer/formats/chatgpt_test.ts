import { assertEquals, assertRejects } from "@std/assert";
import { zipSync } from "fflate";
import { readChatGpt } from "../../../src/transfer/formats/chatgpt.ts";
import { findFormat } from "../../../src/transfer/mod.ts";
import { ImportInput } from "../../../src/transfer/input.ts";
import { DESTINATION, readItems, withFiles } from "./read_items.ts";

const message = (role: string, content: unknown, more: Record<string, unknown> = {}) => ({
  author: { role, name: more["name"] ?? null },
  create_time: 1711868400.25,
  content,
  recipient: "all",
  metadata: {},
  ...more,
});
const text = (...parts: unknown[]) => ({ content_type: "text", parts });

/** A conversation in which the second question was asked in two ways. */
export const CONVERSATION = {
  title: "Tea \n time",
  create_time: 1711868400.25,
  update_time: 1711872000,
  current_node: "f",
  conversation_id: "67-abc",
  default_model_slug: "gpt-4o",
  mapping: {
    root: { id: "root", message: null, parent: null, children: ["s"] },
    s: { message: message("system", text("")), parent: "root", children: ["a"] },
    a: { message: message("user", text("How long does tea steep?")), parent: "s", children: ["b", "x"] },
    x: { message: message("assistant", text("An abandoned branch")), parent: "a", children: [] },
    b: {
      message: message("assistant", { content_type: "thoughts", thoughts: [{ content: "secret" }] }),
      parent: "a",
      children: ["c"],
    },
    c: {
      message: message("assistant", { content_type: "code", language: "python", text: "print('```')" }, {
        recipient: "python",
      }),
      parent: "b",
      children: ["d"],
    },
    d: {
      message: message("tool", { content_type: "execution_output", text: "3" }, { name: "python" }),
      parent: "c",
      children: ["e"],
    },
    e: {
      message: message("user", {
        content_type: "multimodal_text",
        parts: [
          { content_type: "image_asset_pointer", asset_pointer: "file-service://file-xyz" },
          "And this?",
        ],
      }, { metadata: { attachments: [{ name: "photo.png" }] } }),
      parent: "d",
      children: ["f"],
    },
    f: { message: message("assistant", text("Three minutes.")), parent: "e", children: [] },
  },
};

Deno.test("a ChatGPT conversation is a document with the messages that the user saw", async () => {
  const hidden = { ...CONVERSATION, conversation_id: "empty", mapping: {} };
  const cyclic = {
    title: null,
    id: "cyclic",
    mapping: { a: { message: message("user", text("hi")), parent: "b" }, b: { message: null, parent: "a" } },
  };
  await withFiles({
    "export/conversations.json": JSON.stringify([CONVERSATION, hidden, cyclic, { title: "no id" }]),
    "export/user.json": "{}",
  }, async (root) => {
    const input = await ImportInput.open(`${root}/export`);
    const { documents, skipped, errors } = await readItems(readChatGpt(input, DESTINATION));
    assertEquals(documents["chatgpt/67-abc"], {
      title: "Tea time",
      doc_type: "markdown",
      text: [
        "## User (2024-03-31 07:00)\n\nHow long does tea steep?",
        "## Assistant to python (2024-03-31 07:00)\n\n````python\nprint('```')\n````",
        "## Tool: python (2024-03-31 07:00)\n\n```\n3\n```",
        "## User (2024-03-31 07:00)\n\n[Image: file-xyz]\n\nAnd this?\n\nAttached: photo.png",
        "## Assistant (2024-03-31 07:00)\n\nThree minutes.",
      ].join("\n\n"),
      source_path: "chatgpt/67-abc",
      tags: ["collection:documents", "imported"],
      metadata: {
        service: "chatgpt",
        conversation_id: "67-abc",
        url: "https://chatgpt.com/c/67-abc",
        model: "gpt-4o",
      },
      created_at: "2024-03-31T07:00:00.250Z",
      updated_at: "2024-03-31T08:00:00.000Z",
    });
    assertEquals(documents["chatgpt/cyclic"]?.title, "Untitled conversation");
    assertEquals(Object.keys(skipped), ["chatgpt/empty"]);
    assertEquals(Object.keys(errors), ["conversation 4"]);
  });
});

Deno.test("an export is read from its zip archive, in several parts", async () => {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const archive = zipSync({
    "chat.html": json("x".repeat(100_000)),
    "conversations-000.json": [json([CONVERSATION]), { level: 9 }],
    "conversations-001.json": [json([{ ...CONVERSATION, conversation_id: "second" }]), { level: 0 }],
  });
  await withFiles({ "export.zip": archive, "cut.zip": archive.slice(0, -400) }, async (root) => {
    const read = async (name: string) =>
      await readItems(readChatGpt(await ImportInput.open(`${root}/${name}`), DESTINATION));
    assertEquals(await findFormat(`${root}/export.zip`), "chatgpt");
    assertEquals(Object.keys((await read("export.zip")).documents), ["chatgpt/67-abc", "chatgpt/second"]);
  });
});

Deno.test("archives that leave their folder or expand without end, and damaged JSON, are refused", async () => {
  const bomb = zipSync({ "conversations.json": new Uint8Array(20 * 2 ** 20).fill(0x20) });
  const traversal = zipSync({ "../conversations.json": new Uint8Array(3) });
  const files = {
    "bomb.zip": bomb,
    "traversal.zip": traversal,
    "bad.json": '[{"mapping": {}}, ',
    "no.json": "[]",
  };
  await withFiles(files, async (root) => {
    for (
      const [name, problem] of [
        ["bomb.zip", "expands to too much"],
        ["traversal.zip", "leave its folder"],
        ["bad.json", "valid JSON"],
        ["no.json", "no conversations.json"],
        ["missing.json", "does not exist"],
      ] as const
    ) {
      await assertRejects(
        async () => await readItems(readChatGpt(await ImportInput.open(`${root}/${name}`), DESTINATION)),
        Error,
        problem,
      );
    }
  });
});
