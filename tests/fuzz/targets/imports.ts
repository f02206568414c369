import { assert, assertEquals } from "@std/assert";
import { ImportedDocument } from "../../../src/contract/mod.ts";
import { parseMarkdown, renderMarkdown, textOf } from "../../../src/transfer/export/markdown_file.ts";
import { chatGptItem } from "../../../src/transfer/formats/chatgpt.ts";
import { claudeItems } from "../../../src/transfer/formats/claude.ts";
import { parseNote } from "../../../src/transfer/formats/markdown_note.ts";
import { ImportError, type ImportItem } from "../../../src/transfer/import_items.ts";
import { zipEntries } from "../../../src/transfer/zip.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const DESTINATION = { collection: "documents", tags: [], memoryCollection: "memory" };

/** Fields of conversations, and values of every type for each of them. */
const KEYS = [
  ..."mapping message parent children current_node conversation_id title create_time author role content parts"
    .split(" "),
  ..."content_type text metadata attachments name recipient language asset_pointer uuid chat_messages sender"
    .split(" "),
  ..."parent_message_uuid extracted_content file_name docs prompt_template conversations_memory type input"
    .split(" "),
];
const VALUES: readonly unknown[] = [
  ...[
    "a",
    "b",
    "user",
    "tool",
    "all",
    "python",
    "human",
    "code",
    "multimodal_text",
    "tool_use",
    "text",
    "---\n",
    "`````",
  ],
  ...[
    "\ud800",
    "\udc00x\ud800y",
    "x\u0000y",
    "",
    0,
    -1,
    1711868400,
    1e300,
    null,
    true,
    "2024-03-31T07:00:00Z",
    "collection:x",
  ],
];

/**
 * Importers never throw, and every document that they find is valid. The text of an exported document is read back as it
 * was. A damaged archive is an `ImportError`.
 */
export const imports: FuzzTarget = {
  name: "imports",
  iterations: 75,
  seeds: utf8([
    '{"conversation_id":"a","current_node":"b","mapping":{"a":{"message":{"author":{"role":"user"},"content":' +
    '{"content_type":"text","parts":["hi"]}}},"b":{"parent":"a","message":{"author":{"role":"tool"}}}}}',
    '{"uuid":"a","chat_messages":[{"uuid":"m","sender":"human","text":"hi","content":[{"type":"text","text":"hi"}]}]}',
    "---\ntitle: x\ncreated: 2024-01-01\n---\n\n---\ntext\n",
  ]),
  dictionary: utf8(["PK\x03\x04", '"mapping":', "[", "{}", "null", "---\n", "\r\n", "\ufeff"]),
  generate: (random) => utf8([JSON.stringify(generateConversation(random))])[0]!,
  open: () => async (input) => {
    const text = new TextDecoder().decode(input);
    const value = parse(text);
    const items = [chatGptItem(value, 1, DESTINATION), ...claudeItems(value, "item", DESTINATION)];
    for (const item of items) checkItem(item);
    await parseNote(text);
    await checkMarkdown(text);
    await Array.fromAsync(zipEntries(ReadableStream.from([input]), () => true)).catch((error) =>
      assert(error instanceof ImportError, error.stack)
    );
  },
};

function checkItem(item: ImportItem): void {
  if (!("document" in item)) return;
  const { error } = ImportedDocument.safeParse(item.document);
  // Ids are part of the path, which is checked when the document is sent.
  const problems = error?.issues.filter(({ path }) => path[0] !== "source_path") ?? [];
  assertEquals(problems, []);
}

async function checkMarkdown(text: string): Promise<void> {
  const document = {
    title: text.slice(0, 50),
    doc_type: "note" as const,
    text,
    tags: ["a: b", text.slice(0, 20)],
    metadata: { text },
  };
  const { content } = renderMarkdown(document, { language: null });
  assertEquals(textOf(content), text);
  const hasCarriageReturn = content.includes("\r");
  if (content.length < 10_000 && !hasCarriageReturn) {
    const { fields, text: parsed } = await parseMarkdown(content);
    assertEquals([parsed, fields["title"]], [text, text.slice(0, 50)]);
  }
  await parseMarkdown(text).catch((error) => assert(error instanceof SyntaxError, error.stack));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Generates a conversation, some of whose fields have a value of any type. */
function generateConversation(random: Random): unknown {
  const any = (usual: unknown) => random.int(6) === 0 ? generate(random, random.int(3)) : usual;
  const message = () =>
    any({
      author: any({ role: any("user"), name: any("x") }),
      create_time: any(1711868400),
      recipient: any("all"),
      metadata: any({ attachments: any([{ name: any("a.pdf") }]) }),
      content: any({
        content_type: any("text"),
        parts: any([any("hi")]),
        text: any("x"),
        language: any("python"),
      }),
    });
  const node = () => any({ parent: random.pick(["a", "b", "root", null]), message: message() });
  const chat = {
    title: any("T"),
    create_time: any(1),
    mapping: any({ a: node(), b: node() }),
    current_node: any("b"),
  };
  const claude = {
    name: any("T"),
    created_at: any("2024-03-31"),
    chat_messages: any([
      any({
        uuid: "m",
        sender: any("human"),
        text: any("hi"),
        content: any([any({ type: "text", text: any("hi") })]),
      }),
      any({
        uuid: "n",
        parent_message_uuid: random.pick(["m", "n"]),
        attachments: any([any({ extracted_content: any("x") })]),
      }),
    ]),
  };
  const project = {
    name: any("T"),
    prompt_template: any("x"),
    docs: any([any({ filename: any("x"), content: any("x") })]),
  };
  return { conversation_id: "a", uuid: "a", ...random.pick<object>([chat, claude, project]) };
}

function generate(random: Random, depth: number): unknown {
  if (depth === 0 || random.int(4) === 0) return random.pick(VALUES);
  if (random.int(4) === 0) return Array.from({ length: random.int(4) }, () => generate(random, depth - 1));
  const entries = Array.from(
    { length: random.int(6) + 1 },
    () => [random.pick(KEYS), generate(random, depth - 1)],
  );
  return Object.fromEntries([...entries, ["conversation_id", "a"], ["uuid", "a"]]);
}
