import { assert, assertEquals } from "@std/assert";
import { FORMAT, TextPacker, TextUnpacker } from "../../../../src/engine/sqlite/text_packing/mod.ts";
import {
  HEADER_BYTES,
  MAX_SYMBOL_BYTES,
  MAX_SYMBOLS,
  MAX_TEXT_BYTES,
  SHORT_CODES,
} from "../../../../src/engine/sqlite/text_packing/format.ts";
import { symbolTable } from "../../../../src/engine/sqlite/text_packing/symbol_table.ts";
import { type Random, seededRandom } from "../../../support/random.ts";
import { learned, prose, proseSample, proseSymbols } from "./prose.ts";

Deno.test("prose takes about half of its bytes, and is unpacked as it was", () => {
  const random = seededRandom(2);
  const packer = new TextPacker(proseSymbols());
  const unpacker = new TextUnpacker(proseSymbols());
  let bytes = 0;
  let packedBytes = 0;
  for (let n = 0; n < 300; n++) {
    const text = prose(random, 20 + random.int(300));
    const packed = packer.pack(text);
    assert(packed, text);
    assertEquals(unpacker.unpack(packed), text);
    bytes += text.length;
    packedBytes += packed.length;
  }
  assert(packedBytes < 0.55 * bytes, `${packedBytes} of ${bytes}`);
});

/** Returns the size of the shortest codes of a text of ASCII, by trying each symbol at each position. */
function shortestSize(text: string, codes: ReadonlyMap<string, number>): number {
  const sizes = [0];
  for (let end = 1; end <= text.length; end++) {
    const ways = Array.from({ length: Math.min(end, MAX_SYMBOL_BYTES) }, (_, index) => {
      const from = end - 1 - index;
      const code = codes.get(text.slice(from, end));
      return code === undefined ? Infinity : (sizes[from] ?? 0) + (code < SHORT_CODES ? 1 : 2);
    });
    sizes.push(Math.min(...ways));
  }
  return sizes.at(-1) ?? 0;
}

Deno.test("no codes of a text are shorter", () => {
  const random = seededRandom(10);
  const { symbols } = proseSymbols();
  const codes = new Map(symbols.map((symbol, code) => [symbol, code]));
  const packer = new TextPacker(proseSymbols());
  for (let n = 0; n < 100; n++) {
    const text = prose(random, 10 + random.int(60));
    assertEquals(packer.pack(text)?.length, HEADER_BYTES + shortestSize(text, codes), text);
  }
});

const ALPHABETS: readonly string[] = [
  "abcdefghijklmnopqrstuvwxyz .,\n",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя ",
  "漢字仮名交じり文章",
  "😀👩‍👩‍👧🇩🇪é\u0301\u200d",
  "\u0001\u001f\u007f\u0080\u07ff\u0800\uffff\u{10ffff}\ufeff\ufffd",
];

function randomText(random: Random): string {
  const letters = [...random.pick(ALPHABETS)];
  const words = Array.from(
    { length: random.int(60) },
    () =>
      random.int(3) === 0
        ? prose(random, 3)
        : Array.from({ length: random.int(9) }, () => random.pick(letters)).join(""),
  );
  return words.join(" ");
}

Deno.test("random texts of all scripts are unpacked as they were, or not packed", () => {
  const random = seededRandom(3);
  const packer = new TextPacker(proseSymbols());
  const unpacker = new TextUnpacker(proseSymbols());
  let packedTexts = 0;
  for (let n = 0; n < 2000; n++) {
    const text = randomText(random);
    const packed = packer.pack(text);
    if (!packed) continue;
    packedTexts++;
    assert(packed.length < new TextEncoder().encode(text).length);
    assertEquals(unpacker.unpack(packed), text);
  }
  assert(packedTexts > 500);
});

Deno.test("texts that begin with a byte order mark keep it", () => {
  const text = `\ufeff${prose(seededRandom(4))}`;
  const packed = new TextPacker(proseSymbols()).pack(text);
  assertEquals(new TextUnpacker(proseSymbols()).unpack(packed!), text);
});

Deno.test("texts that UTF-8 cannot encode, that are too long, or that would not shrink are not packed", () => {
  const packer = new TextPacker(proseSymbols());
  const random = seededRandom(5);
  for (
    const text of [
      "\ud800",
      `${prose(random)}\udfff`,
      "",
      "a",
      "\u4e00\u4e01",
      "x".repeat(MAX_TEXT_BYTES + 1),
    ]
  ) {
    assertEquals(packer.pack(text), undefined, text.slice(0, 20));
  }
  const longest = prose(random, MAX_TEXT_BYTES).slice(0, MAX_TEXT_BYTES);
  assertEquals(new TextUnpacker(proseSymbols()).unpack(packer.pack(longest)!), longest);
  assertEquals(packer.pack(`${longest}a`), undefined);
  // Still usable.
  assert(packer.pack(prose(random)));
});

Deno.test("a packed text that was changed in any way is found to be damaged", () => {
  const random = seededRandom(6);
  const text = prose(random, 40);
  const packed = new TextPacker(proseSymbols()).pack(text)!;
  const unpacker = new TextUnpacker(proseSymbols());
  for (let at = 0; at < packed.length; at++) {
    for (const change of [1, 0x80, 1 + random.int(255)]) {
      const damaged = packed.slice();
      damaged[at]! ^= change;
      assertEquals(unpacker.unpack(damaged), undefined, `byte ${at}`);
    }
    assertEquals(unpacker.unpack(packed.subarray(0, at)), undefined);
  }
  assertEquals(unpacker.unpack(Uint8Array.from([...packed, 0])), undefined);
  assertEquals(unpacker.unpack(packed), text);
});

Deno.test("hostile bytes are not unpacked, whatever they are", () => {
  const random = seededRandom(7);
  const longest = symbolTable(Array.from({ length: MAX_SYMBOLS }, () => "fifteen letters"));
  const unpackers = [
    new TextUnpacker(proseSymbols()),
    new TextUnpacker(longest),
    new TextUnpacker(symbolTable([])),
  ];
  for (const unpacker of unpackers) {
    for (let n = 0; n < 500; n++) {
      const bytes = Uint8Array.from({ length: random.int(400) }, () => random.int(256));
      if (bytes.length > 0 && n % 2 === 0) bytes[0] = FORMAT;
      assertEquals(unpacker.unpack(bytes), undefined);
    }
    for (const fill of [0, 0xff]) {
      for (const length of [MAX_TEXT_BYTES, MAX_TEXT_BYTES + 1, 1_000_000]) {
        const bytes = new Uint8Array(length).fill(fill);
        bytes[0] = FORMAT;
        // Would be 15 times as long.
        assertEquals(unpacker.unpack(bytes), undefined);
      }
    }
  }
});

Deno.test("other symbols do not make another text of the codes", () => {
  const { symbols } = proseSymbols();
  const swapped = symbolTable([symbols[1]!, symbols[0]!, ...symbols.slice(2)]);
  const text = prose(seededRandom(8));
  const packed = new TextPacker(proseSymbols()).pack(text)!;
  assertEquals(new TextUnpacker(swapped).unpack(packed), undefined);
  // The same text, since no code of it differs.
  const other = learned(proseSample(2));
  const packedByOther = new TextPacker(other).pack(text)!;
  assertEquals(new TextUnpacker(proseSymbols()).unpack(packedByOther), undefined);
  assertEquals(new TextUnpacker(other).unpack(packedByOther), text);
});

Deno.test("a lost symbol makes only those texts unreadable that have it", () => {
  const table = proseSymbols();
  const packer = new TextPacker(table);
  const random = seededRandom(9);
  const packed = Array.from({ length: 100 }, () => prose(random, 20)).map((text) =>
    [text, packer.pack(text)!] as const
  );
  const half = { ...table, symbols: table.symbols.map((symbol, code) => code < 4000 ? symbol : "") };
  const unpacker = new TextUnpacker(half);
  const results = packed.map(([text, bytes]) => [text, unpacker.unpack(bytes)] as const);
  assert(results.every(([text, unpacked]) => unpacked === undefined || unpacked === text));
  assert(results.some(([, unpacked]) => unpacked === undefined));
});
