import { assert, assertEquals } from "@std/assert";
import { UploadError } from "../../../src/uploads/errors.ts";
import { HeaderError, parsePutHeaders } from "../../../src/uploads/put_headers.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

/** Maximum length of an error message, which quotes up to 100 characters, escaped. */
const MAX_MESSAGE_CHARS = 1000;

/**
 * The headers of an upload give a range of integers that agree with each other, or an error with a short
 * message of visible characters. Inputs are lines of `name: value`.
 */
export const putHeaders: FuzzTarget = {
  name: "put_headers",
  iterations: 2500,
  seeds: utf8([
    "content-length: 100",
    "content-length: 100\ncontent-range: bytes 0-99/1000",
    "content-length: 1\ncontent-range: bytes 5-5/*\ncontent-type: application/pdf\ncontent-encoding: identity",
    "content-length: 0\ncontent-type: multipart/form-data; boundary=x",
  ]),
  dictionary: utf8([
    ...[
      "content-length",
      "content-range",
      "content-encoding",
      "content-type",
      ": ",
      "\n",
      "bytes ",
      "0-",
      "/*",
      "-",
    ],
    ...["999999999999999", "9007199254740993", "1e3", "+1", "0x10", " ", "gzip", "multipart/", "\u202e"],
  ]),
  generate: (random) => utf8([generateHeaders(random)])[0]!,
  open: () => (input) => {
    const lines = new TextDecoder().decode(input).split("\n").map((line) => line.split(": "));
    const headers = new Map(lines.map(([name = "", ...value]) => [name, value.join(": ")]));
    try {
      const { offset, length, total } = parsePutHeaders(
        { get: (name) => headers.get(name) ?? null } as Headers,
      );
      assert(Number.isSafeInteger(length) && length !== undefined && length >= 0, `length ${length}`);
      assertEquals(String(length), headers.get("content-length")?.replace(/^0+(?=\d)/, ""));
      if (offset === undefined) return;
      assert(Number.isSafeInteger(offset) && offset >= 0, `offset ${offset}`);
      if (total !== undefined) assert(offset + length <= total, `${offset} + ${length} of ${total}`);
    } catch (error) {
      if (!(error instanceof HeaderError || error instanceof UploadError)) throw error;
      assert(error.message.length <= MAX_MESSAGE_CHARS, `a message of ${error.message.length} characters`);
      assert(!/\p{C}/u.test(error.message), "a message with invisible characters");
    }
  },
};

function generateHeaders(random: Random): string {
  const number = () => random.pick([0, 1, 99, 100, 2 ** 53, 10 ** 15 - 1, 10 ** 15, random.int(2 ** 31)]);
  const first = number();
  const last = random.int(2) === 0 ? first + random.int(100) : number();
  const length = random.int(3) > 0 ? last - first + 1 : number();
  const total = random.pick(["*", String(last + 1), String(number())]);
  return `content-length: ${length}\ncontent-range: bytes ${first}-${last}/${total}`;
}
