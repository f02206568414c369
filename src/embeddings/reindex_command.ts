import type { EmbeddingOptions } from "./options.ts";

/** Returns the shell command that re-embeds a data directory with these settings. Leaves out the API key. */
export function reindexCommand(dataDir: string, options: EmbeddingOptions): string {
  const assignments = Object.entries({ KB_DATA_DIR: dataDir, ...modelSettings(options) }).flatMap((
    [name, value],
  ) => value === undefined ? [] : [`${name}=${shellQuote(String(value))}`]);
  return [...assignments, "kb-mcp reindex"].join(" ");
}

function modelSettings(options: EmbeddingOptions): Record<string, string | number | undefined> {
  if (options.type === "builtin") return { KB_EMBEDDINGS_MODEL: options.model };
  const { url, model, documentPrefix, dimensions } = options;
  return {
    KB_EMBEDDINGS_URL: url,
    KB_EMBEDDINGS_MODEL: model,
    KB_EMBEDDINGS_DIMENSIONS: dimensions,
    KB_EMBEDDINGS_DOCUMENT_PREFIX: documentPrefix === "" ? undefined : documentPrefix,
  };
}

/** Quotes a word for a POSIX shell. */
function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
