import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { decodeBase64 } from "../../../src/uploads/base64.ts";
import { UploadError } from "../../../src/uploads/errors.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

/** Maximum length of an error message. */
const MAX_MESSAGE_CHARS = 300;

/**
 * A chunk is accepted only if encoding its bytes gives the same text. Any other gets an
 * error with a short message of visible characters. Any bytes survive encoding and decoding.
 */
export const base64: FuzzTarget = {
  name: "base64",
  iterations: 2500,
  seeds: utf8(["", "YQ==", "YWI=", "YWJj", "+/+/", "data:text/plain;base64,YQ==", "-_-_", "YWJj\nYWJj"]),
  dictionary: utf8([
    "=",
    "==",
    "===",
    "+",
    "/",
    "-",
    "_",
    " ",
    "\n",
    "\r\n",
    "\0",
    "\u202e",
    "YWJj",
    "data:",
  ]),
  open: () => (input) => {
    assertEquals(decodeBase64(Buffer.from(input).toString("base64")), input);
    const text = new TextDecoder().decode(input);
    const bytes = Buffer.from(text, "base64");
    const isExact = bytes.toString("base64") === text;
    try {
      const decoded = decodeBase64(text);
      assertEquals(Buffer.from(decoded).toString("base64"), text);
    } catch (error) {
      if (!(error instanceof UploadError)) throw error;
      assert(!isExact, "exact base64 must be accepted");
      assert(error.message.length <= MAX_MESSAGE_CHARS, `a message of ${error.message.length} characters`);
      assert(!/\p{C}/u.test(error.message), "a message with invisible characters");
    }
  },
};
