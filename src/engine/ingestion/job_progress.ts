import type { FileProgress } from "../../extraction_process/mod.ts";
import type { JobProgress } from "../knowledge_base/mod.ts";

/** Share of a job that its extraction takes; chunking, storing and indexing take the rest. */
const EXTRACTION_SHARE = 0.7;

/** Converts the progress of a file to that of its job. */
export function jobProgress({ stage, unit, done, total }: FileProgress): JobProgress {
  const share = stage === "indexing" ? 1 : total ? Math.min(1, done / total) : 0;
  return {
    stage,
    progress: EXTRACTION_SHARE * share,
    work: { unit, done, ...(total !== undefined && { total }) },
  };
}
