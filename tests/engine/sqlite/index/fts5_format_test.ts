import { assertEquals, assertThrows } from "@std/assert";
import {
  decodeStructure,
  decodeVarints,
  leafRowid,
  type Segment,
  segmentChanges,
  termKey,
  VarintReader,
  writeTermKey,
} from "../../../../src/engine/sqlite/index/fts5_format.ts";
import { LeafPage, visitTerms } from "./reference_pages.ts";
import { findDoclist } from "./reference_doclist.ts";
import { IndexDamagedError } from "../../../../src/engine/sqlite/index/mod.ts";
import { leafPage } from "./fts5_pages.ts";

Deno.test("VarintReader reads 1 to 9 bytes", () => {
  const cases: [hex: string, expected: number][] = [
    ["00", 0],
    ["7f", 127],
    ["8100", 128],
    ["ff7f", 16_383],
    ["818000", 16_384],
    ["8fffffff7f", 2 ** 32 - 1],
    ["83ffffffffffff7f", 2 ** 51 - 1],
    ["808080808080808001", 1],
    ["8080808080808081ff", 511],
  ];
  for (const [hex, expected] of cases) {
    const reader = new VarintReader(Uint8Array.fromHex(`ee${hex}ee`), 1);
    assertEquals([reader.next(), reader.offset, reader.isDone], [expected, 1 + hex.length / 2, false], hex);
  }
});

Deno.test("decodeVarints reads a whole record", () => {
  assertEquals(decodeVarints(Uint8Array.fromHex("0381000a")), [3, 128, 10]);
  assertEquals(decodeVarints(new Uint8Array()), []);
});

const STRUCTURES: Record<string, { record: string; version?: number; expected: Segment[] | undefined }> = {
  "no levels": { record: "00000000 00 00 05", expected: [] },
  "two segments of one level": {
    record: "00000000 01 02 02 00 02 010101 020109",
    expected: [{ id: 1, firstPage: 1, lastPage: 1 }, { id: 2, firstPage: 1, lastPage: 9 }],
  },
  "higher levels first": {
    record: "00000007 02 03 8100 00 02 050101 060101 02 01 030409",
    expected: [
      { id: 3, firstPage: 4, lastPage: 9 },
      { id: 5, firstPage: 1, lastPage: 1 },
      { id: 6, firstPage: 1, lastPage: 1 },
    ],
  },
  "a segment that has been merged completely": {
    record: "00000000 01 02 02 00 02 010100 020103",
    expected: [{ id: 2, firstPage: 1, lastPage: 3 }],
  },
  "version 5": {
    record: "00000000 01 01 02 00 01 010101",
    version: 5,
    expected: [{ id: 1, firstPage: 1, lastPage: 1 }],
  },
  "an unknown version": { record: "00000000 01 01 02 00 01 010101", version: 6, expected: undefined },
  "tombstones": { record: "00000000 ff000001 01 01 02 00 01 010101 0000000000 00", expected: undefined },
  "a truncated record": { record: "00000000 01 02 02 00 02 010101 02", expected: undefined },
  "a missing level": { record: "00000000 02 01 02 00 01 010101", expected: undefined },
  "trailing bytes": { record: "00000000 01 01 02 00 01 010101 00", expected: undefined },
  "a wrong number of segments": { record: "00000000 01 03 02 00 01 010101", expected: undefined },
  "an empty record": { record: "", expected: undefined },
};
for (const [name, { record, version = 4, expected }] of Object.entries(STRUCTURES)) {
  Deno.test(`decodeStructure of ${name} returns ${expected ? `${expected.length} segments` : "undefined"}`, () => {
    assertEquals(decodeStructure(Uint8Array.fromHex(record.replaceAll(" ", "")), version), expected);
  });
}

Deno.test("leafRowid puts the segment above 37 bits", () => {
  assertEquals(leafRowid(1, 1), 137_438_953_473);
  assertEquals(leafRowid(3, 70_000), Number((3n << 37n) + 70_000n));
});

const DOCLIST = [1, 2, 2];
const TERMS = ["a", "ab", "abc", "abd", "b", "é", "東"];

Deno.test("findDoclist finds each term of a page, and no other", () => {
  const page = new LeafPage(leafPage(TERMS.map((term) => ({ term, doclist: DOCLIST }))));
  for (const term of TERMS) {
    const { start = 0, end = 0 } = findDoclist(page, termKey(term)) ?? {};
    assertEquals([...page.bytes.slice(start, end)], DOCLIST, term);
  }
  for (const term of ["", "0", "aa", "abb", "abcd", "abe", "ac", "c", "ée", "京"]) {
    assertEquals(findDoclist(page, termKey(term)), undefined, term);
  }
});

Deno.test("visitTerms visits the terms of a page with a prefix", () => {
  const page = new LeafPage(leafPage(TERMS.map((term) => ({ term, doclist: DOCLIST }))));
  const cases: [prefix: string, expected: string[]][] = [
    ["", TERMS],
    ["a", ["a", "ab", "abc", "abd"]],
    ["ab", ["ab", "abc", "abd"]],
    ["é", ["é"]],
    ["c", []],
  ];
  for (const [prefix, expected] of cases) {
    const found: string[] = [];
    visitTerms(page, termKey(prefix), (term) => found.push(new TextDecoder().decode(term)));
    assertEquals(found, expected, prefix);
  }
});

Deno.test("a page without terms ends at its content, and a missing page is empty", () => {
  const rest = new LeafPage(leafPage([], { before: [9, 9, 9], firstRowid: 5 }));
  assertEquals([rest.firstRowidOffset, rest.firstTermOffset, rest.end, rest.isEmpty], [5, 7, 7, false]);
  const missing = new LeafPage(new Uint8Array());
  assertEquals([missing.firstRowidOffset, missing.firstTermOffset, missing.end, missing.isEmpty], [
    0,
    0,
    0,
    true,
  ]);
});

Deno.test("visitTerms rejects a term that is longer than its page or shares more than the previous term has", () => {
  const intact = leafPage([{ term: "heron", doclist: DOCLIST }, { term: "hero", doclist: DOCLIST }]);
  for (const [offset, value] of [[4, 200], [14, 200], [15, 200]] as const) {
    const page = new LeafPage(intact.with(offset, value));
    assertThrows(() => visitTerms(page, termKey(""), () => {}), IndexDamagedError);
  }
});

Deno.test("visitTerms rejects terms that overlap, so that one is longer than the page", () => {
  const page = new Uint8Array(26);
  // Term 1 has 15 bytes from offset 5 on; term 2 at offset 6 shares them, and has 14 more from offset 8 on.
  page.set([0, 0, 0, 24, 15, 0x30, 15, 14]);
  page.set([4, 2], 24);
  assertThrows(() => visitTerms(new LeafPage(page), termKey(""), () => {}), IndexDamagedError);
});

Deno.test("a key is written into memory as it is encoded", () => {
  const bytes = new Uint8Array(64).fill(1);
  for (
    const term of ["", "heron", "\ue000de\u007f\u0080\u07ff\u0800", "ψυχή", "漢字", "𠮷野a\ud800", "\udc00"]
  ) {
    const length = writeTermKey(term, bytes, 5);
    assertEquals(bytes.slice(5, 5 + length), termKey(term), term);
  }
  assertEquals(bytes[4], 1);
});

Deno.test("segmentChanges returns the segments with new rows after writes that only added rows", () => {
  // Cookie; levels, segments, writes; per level: merging, count, (id, first, last)…
  const record = (...numbers: number[]) => Uint8Array.from([0, 0, 0, 1, ...numbers]);
  const before = record(2, 2, 7, 0, 1, 4, 1, 2, 0, 1, 3, 1, 5);
  const changes = (...numbers: number[]) => {
    const { kept, added } = segmentChanges(before, record(...numbers)) ?? {};
    return kept === undefined ? undefined : [kept, ...added?.map(({ id }) => id) ?? []];
  };
  const known = {
    "a new segment": [changes(2, 3, 10, 0, 2, 4, 1, 2, 5, 1, 3, 0, 1, 3, 1, 5), [2, 5]],
    "an old one moves to the newest level": [changes(2, 3, 10, 0, 3, 3, 1, 5, 4, 1, 2, 5, 1, 3, 0, 0), [
      2,
      5,
    ]],
    "an old segment with a used id": [changes(2, 3, 12, 0, 2, 4, 1, 2, 5, 1, 3, 0, 1, 3, 1, 5), [1, 4, 5]],
    "a merge of the newest level": [changes(2, 2, 10, 0, 0, 0, 2, 3, 1, 5, 6, 1, 4), [1, 6]],
    "a new segment after a merge": [changes(2, 3, 10, 0, 1, 4, 1, 2, 0, 2, 3, 1, 5, 6, 1, 4), [1, 6, 4]],
  } as const;
  for (const [name, [actual, expected]] of Object.entries(known)) assertEquals(actual, [...expected], name);
  const unknown = {
    nothing: changes(2, 2, 7, 0, 1, 4, 1, 2, 0, 1, 3, 1, 5),
    "another segment of an older level": changes(2, 3, 10, 0, 2, 4, 1, 2, 5, 1, 3, 0, 1, 3, 2, 5),
    "a merge of an older level": changes(3, 1, 10, 0, 0, 0, 0, 0, 1, 6, 1, 9),
    "a merge after many writes": changes(2, 2, 23, 0, 0, 0, 2, 3, 1, 5, 6, 1, 4),
    "more segments than the record has": changes(1, 3, 12, 0, 3, 4, 1, 10),
  };
  for (const [name, changed] of Object.entries(unknown)) assertEquals(changed, undefined, name);
  assertEquals(
    segmentChanges(record(1, 2, 60, 0, 2, 4, 1, 1, 5, 1, 1), record(1, 1, 64, 0, 1, 6, 1, 2)),
    undefined,
    "a merge after so many pages that others may follow",
  );
  const otherCookie = record(2, 3, 10, 0, 2, 4, 1, 2, 5, 1, 3, 0, 1, 3, 1, 5);
  otherCookie[3] = 2;
  assertEquals(segmentChanges(before, otherCookie), undefined, "another configuration");
});
