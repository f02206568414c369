import { assert, assertEquals } from "@std/assert";
import {
  decodeDocumentCursor,
  decodeNumberCursor,
  decodeSearchCursor,
  encodeCursor,
} from "../../../src/engine/knowledge_base/cursor.ts";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const FINGERPRINT = "f1";
/** Maximum length of an error message, which quotes the start of the cursor. */
const MAX_MESSAGE_CHARS = 500;

/**
 * A cursor gives the values that a listing continues from, of the right types, or the error `invalid`. Inputs
 * are cursors, and the texts inside of cursors.
 */
export const cursor: FuzzTarget = {
  name: "cursor",
  iterations: 1000,
  seeds: utf8([
    '["2026-01-01T00:00:00.000Z",7]',
    "[7]",
    '["f1",20,"hybrid"]',
    encodeCursor([7]),
    encodeCursor(["f1", 20, "fts"]),
  ]),
  dictionary: utf8([
    '"f1"',
    "[",
    "]",
    ",",
    "null",
    "-1",
    "1e99",
    "9007199254740993",
    "{}",
    '"\\ud800"',
    "==",
    "\0",
  ]),
  open: () => (input) => {
    const text = new TextDecoder().decode(input);
    const encoded = input.toBase64({ alphabet: "base64url", omitPadding: true });
    for (const candidate of [text, encoded]) {
      const document = decodeOrReject(() => decodeDocumentCursor(candidate));
      if (document) {
        const [recency, id] = document;
        assert(typeof recency === "string" && recency.length <= 40 && Number.isSafeInteger(id));
        assertEquals(decodeDocumentCursor(encodeCursor(document)), document);
      }
      const job = decodeOrReject(() => decodeNumberCursor(candidate));
      if (job !== undefined) {
        assert(Number.isSafeInteger(job));
        assertEquals(decodeNumberCursor(encodeCursor([job])), job);
      }
      const search = decodeOrReject(() => decodeSearchCursor(candidate, FINGERPRINT));
      if (search) {
        const [offset, mode] = search;
        assert(Number.isSafeInteger(offset) && offset > 0 && typeof mode === "string");
      }
    }
  },
};

function decodeOrReject<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof KnowledgeBaseError)) throw error;
    assertEquals(error.code, "invalid");
    assert(error.message.length <= MAX_MESSAGE_CHARS, `a message of ${error.message.length} characters`);
    return undefined;
  }
}
