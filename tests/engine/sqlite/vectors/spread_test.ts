import { assert, assertEquals } from "@std/assert";
import { spreadOf } from "../../../../src/engine/sqlite/vectors/spread.ts";
import { vectorMaker } from "./vector_store.ts";

Deno.test("the spread is the standard deviation of the similarities of all pairs", () => {
  // Half of the vectors along one axis, half along another: the similarity is 1 or 0.
  const vectors = Array.from({ length: 20 }, (_, n) => n % 2 ? Float32Array.of(1, 0) : Float32Array.of(0, 1));
  const share = 90 / 190;
  assert(Math.abs((spreadOf(vectors) ?? 0) - Math.sqrt(share * (1 - share))) < 1e-9);
});

Deno.test("the spread of few vectors is unknown", () => {
  const next = vectorMaker(1, 8);
  const vectors = Array.from({ length: 16 }, () => next());
  assert((spreadOf(vectors) ?? 0) > 0);
  assertEquals(spreadOf(vectors.slice(1)), undefined);
});
