import type { Job } from "../contract/mod.ts";

/** Names that are shown. Any other text of a third-party engine is not passed on. */
const NAME = /^[\w -]{1,40}$/;

/**
 * Describes the current step of a job, with its progress in its own unit if the engine reports it.
 *
 * @example
 * ```ts
 * import { describeStage } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const work = { unit: "pages", done: 120, total: 2415 };
 * assertEquals(describeStage({ stage: "extracting", work }), "extracting: 120 of 2415 pages");
 * assertEquals(describeStage({ stage: "indexing" }), "indexing");
 * ```
 */
export function describeStage({ stage, work }: Pick<Partial<Job>, "stage" | "work">): string {
  const step = stage && NAME.test(stage) ? stage : "processing";
  if (!work || !NAME.test(work.unit)) return step;
  const { unit, done, total } = work;
  return `${step}: ${done}${typeof total === "number" ? ` of ${total}` : ""} ${unit}`;
}
