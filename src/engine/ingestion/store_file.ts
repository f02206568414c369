import type { IngestedFile, IngestionQueue } from "../knowledge_base/mod.ts";

/**
 * Number of chunks of one write: about 30 ms, for which other writes wait. A text with more is written in slices,
 * which cost one commit each.
 */
const SLICE_CHUNKS = 128;

/**
 * Returns a function that stores an extracted file and ends its job: a long text in several writes, between which
 * other writes run. After an error, calling it again continues with the write that failed.
 *
 * @param sliceChunks Maximum number of chunks of one write. @default {128}
 */
export function storeFile(
  queue: Pick<IngestionQueue, "stageChunks" | "finishFile">,
  file: IngestedFile,
  sliceChunks = SLICE_CHUNKS,
): () => ReturnType<IngestionQueue["finishFile"]> {
  const { jobId, title, chunks } = file;
  if (chunks.length <= 2 * sliceChunks) return () => queue.finishFile(file);
  let position = 0;
  let contentId: number | undefined;
  return async () => {
    while (position < chunks.length) {
      const slice = chunks.slice(position, position + sliceChunks);
      const total = chunks.length;
      contentId = await queue.stageChunks({ jobId, contentId, title, position, total, chunks: slice });
      position += slice.length;
    }
    return await queue.finishFile({ ...file, contentId, chunks: [] });
  };
}
