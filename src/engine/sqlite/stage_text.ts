import type { ChunkDraft } from "../../extraction/mod.ts";
import type { StoreAccess } from "./store_access.ts";

/**
 * Number of chunks of one write: about 15 ms, for which other writes wait. The steps that pack a former version take
 * the same number, so that a version is read in whole slices while it is packed.
 */
const SLICE_CHUNKS = 64;

/** A text to write in slices. */
export interface TextToStage {
  readonly title: string;
  /** Returns at most `limit` chunks from a position on; none at the end. */
  readonly read: (from: number, limit: number) => readonly ChunkDraft[] | Promise<readonly ChunkDraft[]>;
}

/**
 * Writes a long text in slices, between which other writes run, then the change that gives it to a document. If that
 * fails, the text is removed.
 *
 * @param change Called with the id of the text.
 */
export async function changeWithText<T>(
  write: StoreAccess["write"],
  { title, read }: TextToStage,
  change: (contentId: number) => Promise<T>,
): Promise<T> {
  let contentId: number | undefined;
  try {
    for (let position = 0;;) {
      const chunks = await read(position, SLICE_CHUNKS);
      if (chunks.length === 0) break;
      contentId = await write("stageText", { contentId, title, position, chunks });
      position += chunks.length;
    }
    if (contentId === undefined) throw new Error("A text must have chunks");
    return await change(contentId);
  } catch (error) {
    // A process that ends before removes it at its next start.
    if (contentId !== undefined) await write("discardText", contentId).catch(() => {});
    throw error;
  }
}
