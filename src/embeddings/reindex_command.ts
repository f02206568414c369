import type { EmbeddingOptions } from "./options.ts";

/** The command line that embeds everything in a data directory anew, as a person types it. The key is left to them. */
export function reindexCommand(dataDir: string, options: EmbeddingOptions): string {
  const { url, model, documentPrefix, dimensions } = options;
  const settings: [string, string | number | undefined][] = [
    ["KB_DATA_DIR", dataDir],
    ["KB_EMBEDDINGS_URL", url],
    ["KB_EMBEDDINGS_MODEL", model],
    ["KB_EMBEDDINGS_DIMENSIONS", dimensions],
    ["KB_EMBEDDINGS_DOCUMENT_PREFIX", documentPrefix === "" ? undefined : documentPrefix],
  ];
  const given = settings.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quoted(String(value))}`]
  );
  return [...given, "kb-mcp reindex"].join(" ");
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
