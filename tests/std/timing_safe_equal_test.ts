import { assertEquals } from "@std/assert";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";

const BYTES = Uint8Array.of(1, 2, 3, 4);

Deno.test("equal byte sequences are equal", () => {
  assertEquals(timingSafeEqual(BYTES, BYTES.slice()), true);
  assertEquals(timingSafeEqual(new Uint8Array(), new Uint8Array()), true);
});

Deno.test("a difference at any position makes byte sequences unequal", () => {
  for (const index of BYTES.keys()) {
    const other = BYTES.slice();
    other[index]! ^= 0x80;
    assertEquals(timingSafeEqual(BYTES, other), false, `byte ${index}`);
  }
});

Deno.test("byte sequences of different lengths are unequal", () => {
  assertEquals(timingSafeEqual(BYTES, BYTES.subarray(0, 3)), false);
  assertEquals(timingSafeEqual(BYTES.subarray(0, 3), BYTES), false);
});
