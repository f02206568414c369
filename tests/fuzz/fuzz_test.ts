import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createInput, fuzz, FuzzError } from "./fuzz.ts";
import { minimize } from "./minimize.ts";
import { type FuzzTarget, utf8 } from "./target.ts";

const FORBIDDEN = "ab";
const finder: FuzzTarget = {
  name: "finder",
  seeds: utf8(["some text", "more"]),
  dictionary: utf8([FORBIDDEN]),
  iterations: 1,
  open: () => (input) => {
    if (new TextDecoder().decode(input).includes(FORBIDDEN)) {
      throw new RangeError(`found in ${input.length} bytes`);
    }
  },
};

Deno.test("fuzz reports a failing input, minimized and with the command that repeats it", async () => {
  const { message, cause } = await assertRejects(
    () => fuzz(finder, { seed: 7, iterations: 10_000 }),
    FuzzError,
  );
  assert(cause instanceof RangeError);
  assertMatch(message, /^finder fails for input \d+ of seed 7: RangeError: found in \d+ bytes\n/);
  assertMatch(message, /\n {2}text "ab"\n {2}hex {2}6162$/);
  const [, iteration] = /--seed 7 --iteration (\d+)/.exec(message) ?? [];
  await assertRejects(() => fuzz(finder, { seed: 7, start: Number(iteration), iterations: 1 }), FuzzError);
});

Deno.test("fuzz returns the number of inputs that passed", async () => {
  const passing: FuzzTarget = { ...finder, open: () => () => {} };
  assertEquals(await fuzz(passing, { seed: 1, iterations: 25 }), 25);
  assertEquals(await fuzz(passing, { seed: 1, maxMs: 0 }), 0);
});

Deno.test("fuzz disposes of the resources of a target, even after a failure", async () => {
  let disposed = 0;
  const target: FuzzTarget = {
    ...finder,
    open: (resources) => {
      resources.defer(() => void disposed++);
      return () => {
        throw new Error("always");
      };
    },
  };
  await assertRejects(() => fuzz(target, { seed: 1, iterations: 1 }), FuzzError);
  assertEquals(disposed, 1);
});

Deno.test("an input depends only on the seed and the iteration, and keeps to the maximum size", () => {
  const target = { ...finder, maxBytes: 20 };
  const hexOf = (seed: number, iteration: number) => createInput(target, { seed, iteration }).toHex();
  const inputs = Array.from({ length: 200 }, (_, iteration) => hexOf(3, iteration));
  assertEquals(inputs, Array.from({ length: 200 }, (_, iteration) => hexOf(3, iteration)));
  assert(new Set(inputs).size > 180, "most inputs differ");
  assert(inputs.every((input) => input.length <= 40));
});

Deno.test("minimize keeps only the bytes that matter", async () => {
  const input = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);
  const smallest = await minimize(
    input,
    (bytes) => Promise.resolve(bytes.includes(7) && bytes.includes(250)),
  );
  assertEquals(smallest.length, 2);
});
