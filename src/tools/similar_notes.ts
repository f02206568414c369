import { type EngineClient, EngineError } from "../client/mod.ts";
import type { SimilarNote, SimilarRequest } from "../contract/mod.ts";
import { isEmpty, withVisibleText } from "../presentation/mod.ts";
import type { IngestionOutput } from "./ingestion.ts";
import type { ToolContext } from "./tool.ts";

/** Maximum number of similar notes in an output. */
const MAX_SIMILAR = 3;
/** Maximum number of concurrent calls with a lookup. More of them are an import, which must not become slower. */
const MAX_CALLS = 4;
/** Maximum time to wait for the lookup after the job, in milliseconds. Includes the load of the embedding model. */
const GRACE_MS = 500;
/** Time without lookups after an engine has shown that it has none, in milliseconds. It may be upgraded. */
const UNSUPPORTED_MS = 60_000;

/** Calls of an engine. */
interface EngineUse {
  calls: number;
  unsupportedUntil: number;
}

const uses = new WeakMap<EngineClient, EngineUse>();

type Context = Pick<ToolContext, "engine" | "log" | "signal" | "jobWaitMs">;

/**
 * Adds a note, and looks up similar ones at the same time. They are a hint: without them if they would delay the
 * output, if there are many concurrent calls, or if the lookup fails.
 *
 * @param add Adds the note.
 */
export async function withSimilarNotes(
  note: Omit<SimilarRequest, "limit">,
  context: Context,
  add: () => Promise<IngestionOutput>,
): Promise<IngestionOutput> {
  const { engine, signal, jobWaitMs } = context;
  const use = uses.get(engine) ?? { calls: 0, unsupportedUntil: -Infinity };
  uses.set(engine, use);
  const isSkipped = jobWaitMs === 0 || use.calls >= MAX_CALLS || performance.now() < use.unsupportedUntil;
  use.calls++;
  const ended = new AbortController();
  try {
    if (isSkipped) return await add();
    // Sent before the note, so that the engine does not wait for the vector of the note itself.
    const lookup = lookUp(note, use, { ...context, signal: AbortSignal.any([signal, ended.signal]) });
    const output = await add();
    if (output.outcome === "conflict") return output;
    const found = await within(GRACE_MS, lookup);
    const similar = found
      .filter(({ document_id }) => String(document_id) !== String(output.document_id))
      .slice(0, MAX_SIMILAR)
      .map(present);
    return similar.length === 0 ? output : { ...output, similar };
  } finally {
    use.calls--;
    ended.abort();
  }
}

async function lookUp(
  note: Omit<SimilarRequest, "limit">,
  use: EngineUse,
  { engine, log, signal }: Omit<Context, "jobWaitMs">,
): Promise<readonly SimilarNote[]> {
  try {
    // One more, since the note itself may be among them.
    return (await engine.similarNotes({ ...note, limit: MAX_SIMILAR + 1 }, { signal })).similar;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.code === "engine_too_old") use.unsupportedUntil = performance.now() + UNSUPPORTED_MS;
    else if (error.code !== "cancelled") log.debug("failed to look up similar notes", { error });
    return [];
  }
}

function present(note: SimilarNote): Record<string, unknown> {
  const { document_id, title, sentence, score } = withVisibleText(note);
  return {
    document_id,
    ...(isEmpty(title) ? {} : { title }),
    sentence,
    score: Math.round(score * 100) / 100,
  };
}

/** Resolves to an empty list if a promise takes longer than some milliseconds. */
async function within<T>(ms: number, list: Promise<readonly T[]>): Promise<readonly T[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<readonly T[]>((resolve) => timer = setTimeout(() => resolve([]), ms));
  try {
    return await Promise.race([list, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
