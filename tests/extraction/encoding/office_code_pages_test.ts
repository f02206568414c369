import { assertEquals } from "@std/assert";
import { decodeCodePage } from "../../../src/extraction/encoding/office_code_pages.ts";

Deno.test("decodeCodePage knows the code pages of Windows, DOS, ISO 8859 and e-mail", () => {
  const cases: [number, number[], string][] = [
    [1251, [0xcf, 0xf0, 0xe8], "При"],
    [437, [0x81], "ü"],
    [28592, [0xb1, 0xb6], "ąś"],
    [28605, [0xa4], "€"],
    [20866, [0xf0, 0xd2, 0xc9], "При"],
    [51932, [0xa5, 0xc6], "テ"],
    [65001, [0xc3, 0xa4], "ä"],
    [28602, [0xe4], "ä"],
    [99999, [0xe4], "ä"],
  ];
  for (const [page, bytes, expected] of cases) {
    assertEquals(decodeCodePage(Uint8Array.from(bytes), page), expected, String(page));
  }
});
