import { assert, assertEquals, assertThrows } from "@std/assert";
import { MAX_MESSAGE_BYTES } from "../../src/extraction_process/messages.ts";
import { parseWorkerMessage } from "../../src/extraction_process/parse_message.ts";

const CHUNK = { text: "x", headingPath: ["a"], charStart: 0, charEnd: 1, lineStart: 1, lineEnd: 1 };
const DOCUMENT = { docType: "text", tags: ["a"], metadata: { year: 2026, authors: ["a"] } };

function parse(message: unknown) {
  return parseWorkerMessage(new TextEncoder().encode(JSON.stringify(message)));
}

const chunks = (...list: unknown[]) => ({ type: "chunks", chunks: list });
const document = (fields: object) => ({
  type: "document",
  document: { ...DOCUMENT, ...fields },
  rssBytes: 1,
});
const zeros = (count: number) => new Array<number>(count).fill(0);

Deno.test("parseWorkerMessage: valid messages are returned without unknown fields", () => {
  assertEquals<unknown>(parse(chunks({ ...CHUNK, extra: 1 }, CHUNK)), chunks(CHUNK, CHUNK));
  const repeating = chunks({ ...CHUNK, repeatedChars: 1 });
  assertEquals<unknown>(parse(repeating), repeating);
  assertEquals<unknown>(parse({ ...document({}), extra: 1 }), document({}));
});

const MANY = MAX_MESSAGE_BYTES / 2 - 100;
const INVALID: [name: string, message: unknown, reason: string][] = [
  ["4 MB of zeros as chunks", { type: "chunks", chunks: zeros(MANY) }, "chunks must have at most 1000"],
  ["1,001 chunks", { type: "chunks", chunks: new Array(1001).fill(CHUNK) }, "chunks must have at most 1000"],
  ["1,000 wrong chunks", { type: "chunks", chunks: zeros(1000) }, "chunks.0 has"],
  ["a wrong second chunk", chunks(CHUNK, { ...CHUNK, text: 1 }), "chunks.1.text has"],
  ["4 MB of headings", chunks({ ...CHUNK, headingPath: zeros(MANY) }), "headingPath must have at most 16"],
  ["4 MB of tags", document({ tags: zeros(MANY) }), "tags must have at most 64"],
  ["4 MB of metadata", document({ metadata: { list: zeros(MANY) } }), "metadata is too long"],
  ["metadata that is a list", document({ metadata: zeros(100) }), "message.document.metadata has"],
  ["chunks that are no list", { type: "chunks", chunks: CHUNK }, "message.chunks has"],
  ["an unknown type", { type: "shell" }, "message.type has"],
  ["null", null, "message has"],
];
for (const [name, message, reason] of INVALID) {
  Deno.test(`parseWorkerMessage: ${name} fails with a short error`, () => {
    const error = assertThrows(() => parse(message), Error, `Invalid message: ${reason}`);
    assertEquals(error.cause, undefined);
    assert(error.message.length < 100, error.message);
  });
}
