import { assert, assertEquals, assertMatch } from "@std/assert";
import { decodeText } from "../../../src/extraction/encoding/decode.ts";

const utf8 = new TextEncoder();

/** Returns one byte per code unit. */
function raw(units: string): Uint8Array {
  return Uint8Array.from(units, (unit) => unit.charCodeAt(0));
}

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), littleEndian);
  return new Uint8Array(view.buffer);
}

const RUSSIAN = "\xcd\xe0 \xe1\xe5\xf0\xe5\xe3\xf3 \xef\xf3\xf1\xf2\xfb\xed\xed\xfb\xf5 \xe2\xee\xeb\xed";

const CASES: [what: string, bytes: Uint8Array, declared: string | undefined, text: string][] = [
  ["ASCII", utf8.encode("plain"), undefined, "plain"],
  ["UTF-8", utf8.encode("naïve 漢字 😀"), undefined, "naïve 漢字 😀"],
  ["UTF-8 with a byte order mark", utf8.encode("\ufeffnaïve"), undefined, "naïve"],
  ["UTF-8 declared as windows-1252", utf8.encode("naïve"), "windows-1252", "naïve"],
  ["UTF-16 LE with a byte order mark", utf16("\ufeffnaïve 漢字", true), undefined, "naïve 漢字"],
  ["UTF-16 BE with a byte order mark", utf16("\ufeffnaïve 漢字", false), undefined, "naïve 漢字"],
  ["UTF-16 LE without a byte order mark", utf16("plain words", true), undefined, "plain words"],
  ["UTF-16 BE without a byte order mark", utf16("plain words", false), undefined, "plain words"],
  ["windows-1252", raw("It\x92s a caf\xe9, na\xefve, \x80 5"), undefined, "It’s a café, naïve, € 5"],
  ["windows-1252 with one apostrophe", raw("it\x92s"), undefined, "it’s"],
  ["windows-1251", raw(RUSSIAN), undefined, "На берегу пустынных волн"],
  ["a declared encoding", raw("\xe6\xf8\xe5"), "iso-8859-5", "цјх"],
  ["an unknown declared encoding", raw("caf\xe9 na\xefve"), "x-nonsense", "café naïve"],
  [
    "Shift-JIS",
    raw("\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67"),
    undefined,
    "日本語のテキスト",
  ],
  [
    "a Shift-JIS name in a table",
    raw("name,city\n\x8d\xb2\x93\xa1\x91\xbe\x98\x59,\x93\x8c\x8b\x9e\n"),
    undefined,
    "name,city\n佐藤太郎,東京\n",
  ],
  ["EUC-JP", raw("\xc6\xfc\xcb\xdc\xb8\xec\xa4\xc7\xa4\xb9"), undefined, "日本語です"],
  ["ISO-2022-JP", raw("\x1b$B4A;z\x1b(B and more"), undefined, "漢字 and more"],
  ["ISO-2022-KR", raw("\x1b$)C\x0e0!3*4Y\x0f a"), undefined, "가나다 a"],
  ["GBK", raw("\xd6\xd0\xce\xc4\xb2\xe2\xca\xd4"), undefined, "中文测试"],
  ["EUC-KR", raw("\xb0\xa1\xb3\xaa\xb4\xd9 \xc7\xd1\xb1\xdb"), undefined, "가나다 한글"],
  ["text with two zero bytes", raw("words\0 and a \0 zero"), undefined, "words\0 and a \0 zero"],
  ["UTF-32 LE with a byte order mark", raw("\xff\xfe\0\0w\0\0\0\x3a\x04\0\0"), undefined, "wк"],
  ["UTF-32 BE without a byte order mark", raw("\0\0\0w\0\0\0 \0\0\0o"), undefined, "w o"],
  ["Cyrillic UTF-16 without a byte order mark", utf16("Вода кипит", false), undefined, "Вода кипит"],
  [
    "Chinese UTF-16 without a byte order mark",
    utf16("水在锅里沸腾，请小心。", true),
    undefined,
    "水在锅里沸腾，请小心。",
  ],
  ["terminal color codes", raw("\x1b[31mred\x1b[0m"), undefined, "\x1b[31mred\x1b[0m"],
];

for (const [what, bytes, declared, text] of CASES) {
  Deno.test(`decodeText reads ${what}`, async () =>
    assertEquals((await decodeText(bytes, declared))?.text, text));
}

Deno.test("decodeText keeps UTF-8 with a few invalid bytes", async () => {
  const good = utf8.encode("Grüße aus Köln, schöne Füße über Österreich. ".repeat(40));
  const decoded = await decodeText(Uint8Array.from([...good, 0xff, ...good]));
  assert(decoded?.text.startsWith("Grüße aus Köln") && decoded.text.includes("\ufffd"));
  assertEquals(decoded?.warnings.length, 1);
});

const BINARY: [what: string, bytes: Uint8Array][] = [
  ["text with many control characters", raw("\x01\x02\x03\x04 words \x05\x06\x07\x08")],
  ["random bytes", Uint8Array.from({ length: 2000 }, (_, i) => Math.imul(i + 1, 2654435761) >>> 24)],
  ["random bytes after a UTF-16 byte order mark", raw("\xff\xfe\x01\x00\x02\x00\x00\xd8\x05\x00")],
];

for (const [what, bytes] of BINARY) {
  Deno.test(`decodeText treats ${what} as binary data`, async () => {
    assertEquals(await decodeText(bytes), undefined);
  });
}

Deno.test("text of an encoding that looks like Chinese without its frequent characters gives a warning", async () => {
  // Korean in Johab, an encoding that is not read.
  const johab = Uint8Array.fromHex([
    "95a1b691a06920cc61b7a9b76520b7a120cf619da18b619c91b76920ace9c3a1d061936520a477a4f389c120b771acf7",
    "20a3b920ac61b6859761208ba19377b76920ace9a177d07393a194612e20b7a1208ba19377b7652095a1d061bba120b4",
    "67af7393a194612e20d0659c61cf619da1b54120cda1d071964520a1a197652089c59d6520cc61b7a9b76520a5a2ac61",
    "d06920ae8120b7b6af7393a194612e",
  ].join(""));
  const decoded = await decodeText(johab);
  assertEquals(decoded?.confidence, 0.5);
  assertMatch(decoded?.warnings.join() ?? "", /^The encoding was guessed as /);
  // "The Chinese in this file is what people of our country write every year…" in GB 18030.
  const chinese = Uint8Array.fromHex(
    "d5e2b8f6cec4bcfec0efb5c4d6d0cec4cac7ced2c3c7b9fabcd2b5c4c8cbc3bfc4eab6bcd2aad0b4b5c4b6abcef7a3accbfbc3c7cbb5d5e2cac7d2bbb8f6b2bbb4edb5c4b0ecb7a8a3acbfc9d2d4c8c3b4f3bcd2d1a7bbe1d4f5c3b4c8a5d7f6a1a3",
  );
  assertEquals((await decodeText(chinese))?.warnings, []);
});
