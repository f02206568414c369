import { bytes, type Garbage, of, PING } from "./case.ts";

/** Invalid UTF-8, and other encodings of Unicode. */
export function* badEncodings(): Generator<Garbage> {
  const inString = (text: string) =>
    bytes(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${text}"}}`);
  const sequences = [
    ["0xff", "\xff"],
    ["0xfe", "\xfe"],
    ["0x80, a continuation byte", "\x80"],
    ["0xbf, a continuation byte", "a\xbfb"],
    ["0xc0 0xaf, an overlong slash", "\xc0\xaf"],
    ["0xc1 0xbf, overlong", "\xc1\xbf"],
    ["0xe0 0x80 0xaf, an overlong slash", "\xe0\x80\xaf"],
    ["0xf0 0x80 0x80 0xaf, an overlong slash", "\xf0\x80\x80\xaf"],
    ["0xc0 0x80, an overlong NUL", "\xc0\x80"],
    ["0xed 0xa0 0x80, a high surrogate", "\xed\xa0\x80"],
    ["0xed 0xbf 0xbf, a low surrogate", "\xed\xbf\xbf"],
    ["0xed 0xa0 0x81 0xed 0xb0 0x80, a pair in CESU-8", "\xed\xa0\x81\xed\xb0\x80"],
    ["0xf4 0x90 0x80 0x80, beyond the last code point", "\xf4\x90\x80\x80"],
    ["0xf5 0x80 0x80 0x80, beyond the last code point", "\xf5\x80\x80\x80"],
    ["0xf8 0x88 0x80 0x80 0x80, five bytes", "\xf8\x88\x80\x80\x80"],
    ["0xfc 0x84 0x80 0x80 0x80 0x80, six bytes", "\xfc\x84\x80\x80\x80\x80"],
    ["0xc3, one of two bytes", "\xc3"],
    ["0xe2 0x82, two of three bytes", "\xe2\x82"],
    ["0xf0 0x9f 0x98, three of four bytes", "\xf0\x9f\x98"],
    ["0xe9, é in Latin-1", "caf\xe9"],
    ["0x93 and 0x94, quotes in Windows-1252", "\x93a\x94"],
    ["0x82 0xa0, あ in Shift JIS", "\x82\xa0"],
  ];
  for (const [name, text = ""] of sequences) yield of(`in a string: ${name}`, inString(text), "parse");
  yield of("0xff alone", bytes("\xff"), "parse");
  yield of("0xff outside of a string", bytes(`{"jsonrpc":"2.0",\xff"id":1,"method":"ping"}`), "parse");
  yield of("0x80 in a key", bytes(`{"jsonrpc":"2.0","id":1,"method":"ping","\x80":1}`), "parse");
  yield of("gzip", bytes("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), "parse");
  // RFC 8259 §8.1: JSON is UTF-8, and MUST NOT begin with a byte order mark.
  yield of("UTF-8 with a byte order mark", bytes(`\xef\xbb\xbf${PING}`), "parse");
  yield of("a byte order mark alone", bytes("\xef\xbb\xbf"), "parse");
  yield of("half a byte order mark", bytes(`\xef\xbb${PING}`), "parse");
  for (
    const [name, unit, isLittle] of [["UTF-16LE", 2, true], ["UTF-16BE", 2, false], ["UTF-32LE", 4, true], [
      "UTF-32BE",
      4,
      false,
    ]] as const
  ) {
    for (const mark of ["", "\ufeff"]) {
      const text = mark + PING;
      const view = new DataView(new ArrayBuffer(text.length * unit));
      for (let i = 0; i < text.length; i++) {
        if (unit === 2) view.setUint16(i * 2, text.charCodeAt(i), isLittle);
        else view.setUint32(i * 4, text.charCodeAt(i), isLittle);
      }
      yield of(`${name}${mark && " with a byte order mark"}`, new Uint8Array(view.buffer), "parse");
    }
  }
  yield of("UTF-7", "+AHs-+ACI-jsonrpc+ACI-:2.0+AH0-", "parse");
}
