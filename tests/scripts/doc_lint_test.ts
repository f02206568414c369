import { assertEquals, assertThrows } from "@std/assert";
import { relevantDiagnostics } from "../../scripts/doc_lint.ts";

/** Output of `deno doc --lint` in Deno 2.9.6. */
const OUTPUT = `error[missing-jsdoc]: exported symbol is missing JSDoc documentation
  --> /repo/src/a/types.ts:4:1
  |
4 | export interface Naked {
  | ^


error[missing-jsdoc]: exported symbol is missing JSDoc documentation
  --> /repo/src/a/types.ts:9:12
  |
9 |   readonly title: string;
  |            ^


error[missing-explicit-type]: exported symbol is missing an explicit type annotation
  --> /repo/src/a/schema.ts:24:14
   |
24 | export const Chunk = z.object({
   |              ^


error[private-type-ref]: public type 'Chunk' references private type 'output'
  --> /repo/src/a/schema.ts:41:1
   |
41 | export type Chunk = z.infer<typeof Chunk>;
   | ^


error[private-type-ref]: public type 'Options["chunk"]' references private type 'ChunkOptions'
  --> /repo/src/a/options.ts:8:3
  |
8 |   readonly chunk: ChunkOptions;
  |   ^

`;

Deno.test("doc lint reports only undocumented exports and unexported types of this repository", () => {
  const kept = relevantDiagnostics(OUTPUT, (name) => name === "ChunkOptions");
  assertEquals(kept.map((text) => /--> (\S+)/.exec(text)?.[1]), [
    "/repo/src/a/types.ts:4:1",
    "/repo/src/a/options.ts:8:3",
  ]);
});

Deno.test("doc lint fails when deno doc crashes", () => {
  assertThrows(() => relevantDiagnostics("error: Module not found", () => true), Error, "Module not found");
});
