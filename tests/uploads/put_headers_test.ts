import { assertEquals, assertThrows } from "@std/assert";
import { parseContentRange } from "../../src/uploads/put_headers.ts";
import { UploadError } from "../../src/uploads/mod.ts";

Deno.test("a valid Content-Range yields offset, length and total size", () => {
  assertEquals(parseContentRange("bytes 0-99/1000"), { offset: 0, length: 100, total: 1000 });
  assertEquals(parseContentRange("bytes 999-999/1000"), { offset: 999, length: 1, total: 1000 });
  assertEquals(parseContentRange("BYTES 5-9/*"), { offset: 5, length: 5, total: undefined });
});

for (
  const value of [
    "",
    "bytes",
    "bytes */1000", // unsatisfied range: no bytes follow
    "bytes 0-99",
    "bytes=0-99/1000",
    "bytes  0-99/1000",
    "bytes 0 - 99/1000",
    "bytes 0-99/1000 ",
    "bytes 99-0/1000",
    "bytes 0-1000/1000",
    "bytes -5-9/10",
    "bytes 0-/10",
    "bytes -9/10",
    "bytes 0-9/10, bytes 0-9/10",
    "bytes 0x0-0x9/10",
    "bytes 0-9999999999999999999999/*",
    "items 0-9/10",
  ]
) {
  Deno.test(`Content-Range ${JSON.stringify(value)} is rejected with an example`, () => {
    assertThrows(() => parseContentRange(value), UploadError, 'such as "bytes 0-99/1000"');
  });
}
