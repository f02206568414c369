import { assertEquals } from "@std/assert";
import { elfLength } from "../../scripts/denort.ts";

/** A 64-bit ELF header with a section header table at 64. */
function elf(sections: readonly { type: number; offset: number; size: number }[]): Uint8Array {
  const file = new Uint8Array(4096);
  const view = new DataView(file.buffer);
  view.setBigUint64(40, 64n, true);
  view.setUint16(58, 64, true);
  view.setUint16(60, sections.length, true);
  for (const [index, { type, offset, size }] of sections.entries()) {
    view.setUint32(64 + index * 64 + 4, type, true);
    view.setBigUint64(64 + index * 64 + 24, BigInt(offset), true);
    view.setBigUint64(64 + index * 64 + 32, BigInt(size), true);
  }
  return file;
}

const PROGBITS = 1;
const NOBITS = 8;

Deno.test("an ELF file ends after its last section", () => {
  const sections = [{ type: PROGBITS, offset: 512, size: 100 }, { type: PROGBITS, offset: 300, size: 20 }];
  assertEquals(elfLength(elf(sections)), 612);
});

Deno.test("an ELF file ends after its section header table when that comes last", () => {
  assertEquals(elfLength(elf([{ type: PROGBITS, offset: 16, size: 8 }])), 128);
});

Deno.test("sections without bytes in the file do not count", () => {
  assertEquals(elfLength(elf([{ type: NOBITS, offset: 512, size: 1 << 20 }])), 128);
});
