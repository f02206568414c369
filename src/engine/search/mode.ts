import type { SearchRequest } from "../../contract/mod.ts";
import { KnowledgeBaseError } from "../knowledge_base/mod.ts";

/** What a search goes by. */
export type Mode = "hybrid" | "fts" | "vector";

/**
 * What a request asks for, as far as the engine can do it at all.
 *
 * @param hasVectors Whether there is an embedding model.
 * @returns With a warning, when it is less.
 * @throws {KnowledgeBaseError} `invalid` for modes that exclude each other, and for vectors where there are none.
 */
export function modeOf(
  { mode, fts_only, vec_only }: Pick<SearchRequest, "mode" | "fts_only" | "vec_only">,
  hasVectors: boolean,
): { readonly wanted: Mode; readonly warning?: string } {
  if (fts_only && vec_only) {
    throw new KnowledgeBaseError("invalid", "fts_only and vec_only must not both be true: use mode");
  }
  const only = fts_only ? "fts" : vec_only ? "vector" : undefined;
  if (mode !== undefined && only !== undefined && mode !== only) {
    throw new KnowledgeBaseError(
      "invalid",
      `mode must be ${only}, or ${only}_only left out, got ${JSON.stringify(mode)}`,
    );
  }
  const wanted = mode ?? only ?? (hasVectors ? "hybrid" : "fts");
  if (wanted === "fts" || hasVectors) return { wanted };
  if (wanted === "vector") {
    const asked = vec_only ? "vec_only" : 'mode "vector"';
    throw new KnowledgeBaseError(
      "invalid",
      `${asked} needs embeddings, and this engine has none: leave it out to search full text, or set KB_EMBEDDINGS_URL`,
    );
  }
  return {
    wanted: "fts",
    warning: "Searched full text only: this engine has no embedding model (KB_EMBEDDINGS_URL sets one).",
  };
}
